// Goal: of northbound content as little is left as still shows a difference, and what is left is
// whole: no reference to a row that is gone. Method: content in memory, of which one row, one term
// of its match and one stimulus matter; then what a file of it holds, read back.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import type { OvnContent } from '../../domain/plan/ovn-content.js';
import type { NorthboundRow } from '../../domain/plan/northbound-plan.js';
import { printFrozen, readFrozen } from './frozen-content.js';
import { smallest, withRows, type ShrunkContent } from './shrink-content.js';

const acl = (number: number, match: string): NorthboundRow => ({
  table: 'ACL',
  id: `acl ${number}`,
  columns: { match, options: { map: { 'apply-after-lb': 'true' } } },
});
const rows = [acl(1, '(tcp)'), acl(2, '(ip4) && (udp) && (ip.ttl == 64)'), acl(3, '(ip4)')];
const content: OvnContent = {
  rows,
  columns: {
    'switch n1': { acls: { set: rows.map(({ id }) => ({ row: id })) } },
    'switch port p1': { dhcpv4_options: { row: 'acl 1' } },
    'switch n2': { other_config: { map: { mcast_snoop: 'true' } } },
  },
};
const whole: ShrunkContent = {
  before: content,
  content,
  stimuli: [
    { kind: 'ping', from: 'p1', to: '10.10.1.3' },
    { kind: 'udp', from: 'p2', to: '10.10.1.2', port: 7 },
  ],
};

void t.test('what matters is left', async (t) => {
  const seen: ShrunkContent[] = [];
  const found = await smallest(whole, (smaller) => {
    seen.push(smaller);
    return Promise.resolve(
      smaller.stimuli.some(({ kind }) => kind === 'udp') &&
        smaller.content.rows.some((row) => JSON.stringify(row).includes('udp')),
    );
  });
  t.strictSame(found, {
    before: {
      rows: [],
      columns: {
        'switch n1': { acls: { set: [] } },
        'switch n2': {
          other_config: { map: { mcast_snoop: 'true' } },
        },
      },
    },
    content: { rows: [{ table: 'ACL', id: 'acl 2', columns: { match: '(udp)' } }], columns: {} },
    stimuli: [whole.stimuli[1]],
  });
  for (const { content: smaller } of seen) {
    const ids = smaller.rows.map(({ id }) => id);
    const refers = [...JSON.stringify(smaller).matchAll(/"row":"([^"]*)"/g)].map(([, id]) => id);
    t.ok(
      refers.every((id) => ids.includes(id ?? '')),
      JSON.stringify(smaller),
    );
  }
});

void t.test('a reference goes with its row', (t) => {
  t.strictSame(withRows(content, rows.slice(1)).columns, {
    'switch n1': { acls: { set: [{ row: 'acl 2' }, { row: 'acl 3' }] } },
    'switch n2': { other_config: { map: { mcast_snoop: 'true' } } },
  });
  t.end();
});

void t.test('a file holds the case', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'frozen-'));
  t.teardown(() => rm(dir, { recursive: true }));
  const file = join(dir, 'case.json');
  const frozen = { why: 'because', found: ['trixie 25.03.0'], ...whole };
  await writeFile(file, printFrozen(frozen));
  t.strictSame(await readFrozen(file), frozen);
  await writeFile(file, '{"why": "because"}');
  await t.rejects(readFrozen(file), { name: 'InputError' });
});
