// Goal: reader, model and switch do the same with random dumps, and what a reader misses is found
// and shrunk. Method: a few cases of a seed; then a switch that is built with another tag.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { openImage } from '../../../images/images.js';
import { defaultBackend } from '../../testbeds/registry.js';
import { drawDump } from './draw-dump.js';
import type { DumpCase, DumpSetting } from './dump-case.js';
import { parseFrozenDump, printFrozenDump } from './frozen-dump.js';
import { judgeDump } from './judge-dump.js';
import type { NodePlan } from '../../domain/plan/cluster-plan.js';
import { runDumps } from './run-dumps.js';
import { schemaColumns } from './schema-columns.js';

const image = await openImage('trixie', (line) => t.comment(line));
const schema = schemaColumns(await readFile(image.schema('vswitch.ovsschema'), 'utf8'));
const open = (plan: NodePlan) => defaultBackend.open({ nodes: [plan] }, image);

void t.test('cases are the same each time', (t) => {
  t.strictSame(drawDump(7, 3, schema), drawDump(7, 3, schema));
  t.strictNotSame(drawDump(7, 3, schema), drawDump(7, 4, schema));
  t.end();
});

void t.test('a few cases', async (t) => {
  const result = await runDumps({ seed: 1, count: 12, schema, open });
  t.strictSame(result.findings, []);
  t.ok(result.frames > 10, `${result.frames} frames`);
});

void t.test('a link that the switch does not have down is found', async (t) => {
  const misbuilt = (plan: NodePlan) =>
    open(
      plan.asDumped === undefined
        ? plan
        : { ...plan, asDumped: { ...plan.asDumped, downPorts: [] } },
    );
  const { findings } = await runDumps({ seed: 1, count: 12, schema, open: misbuilt });
  t.not(findings.length, 0);
  for (const { smallest } of findings) t.ok(smallest.settings.length <= 4, 'it is shrunk');
});

const arp = '0806' + '0001080006040001' + '0a00000000010a000001' + '0000000000000a000002';

const folder = fileURLToPath(new URL('../../../../harness/fuzz/dumps/frozen', import.meta.url));

for (const name of (await readdir(folder)).toSorted())
  for (const suite of ['bookworm', 'trixie', 'sid'])
    void t.test(`${name} on ${suite}`, async (t) => {
      const file = join(folder, name);
      const dump = parseFrozenDump(await readFile(file, 'utf8'), file);
      t.equal(printFrozenDump(dump), await readFile(file, 'utf8'));
      const on = await openImage(suite, (line) => t.comment(line));
      const { differences, skipped } = await judgeDump(dump, (plan) =>
        defaultBackend.open({ nodes: [plan] }, on),
      );
      t.strictSame(differences, []);
      if (dump.skipped === undefined) t.equal(skipped, undefined);
      else t.match(skipped, new RegExp(dump.skipped));
    });

void t.test('a bond sends by its active member, and takes nothing at another', async (t) => {
  const bond = (more: readonly DumpSetting[]): DumpCase => ({
    settings: [
      { kind: 'flow', text: 'table=0, priority=1 actions=NORMAL' },
      { kind: 'bond', members: ['p2', 'p3'] },
      ...more,
    ],
    packets: [
      { port: 'p1', frame: `ffffffffffff0a0000000001${arp}` },
      { port: 'p2', frame: `0a00000000010a0000000002${arp}` },
      { port: 'p3', frame: `0a00000000010a0000000003${arp}` },
      { port: 'p1', frame: `0a00000000030a0000000001${arp}` },
      { port: 'p1', frame: `0a00000000020a0000000001${arp}` },
    ],
  });
  const setting = (table: string, row: string, column: string, value: string) => ({
    kind: 'column' as const,
    table,
    row,
    column,
    value: [value],
  });
  for (const more of [
    [setting('Port', 'p2', 'bond_active_slave', 'aa:55:aa:55:00:02')],
    [setting('Port', 'p2', 'bond_active_slave', 'aa:55:aa:55:00:03')],
    [setting('Interface', 'p2', 'link_state', 'down')],
    [setting('Interface', 'p3', 'link_state', 'down')],
  ]) {
    const { differences, skipped, frames } = await judgeDump(bond(more), open);
    t.strictSame([differences, skipped], [[], undefined], JSON.stringify(more));
    t.ok(frames > 5, `${frames} frames`);
  }
  t.match(
    (await judgeDump(bond([]), open)).skipped,
    /meets bond p2, .* active the dump does not say/,
  );
  const modes = (mode: string) => bond([setting('Port', 'p2', 'bond_mode', mode)]);
  t.match(
    (await judgeDump(modes('balance-slb'), open)).skipped,
    /meets bond p2, and which of its members|has given hash/,
  );
  const { settings, packets } = modes('balance-slb');
  for (const more of [
    [],
    [{ ...setting('Port', 'p2', 'other_config', '7'), key: 'bond-hash-basis' }],
    [setting('Port', 'p2', 'tag', '5')],
  ]) {
    const all = [...settings, setting('Port', 'p2', 'bond_active_slave', 'aa:55:aa:55:00:02')];
    const balanced = [...all, { kind: 'hashes', bit: 0 } as const, ...more];
    const by = await judgeDump({ packets, settings: balanced }, open);
    t.strictSame([by.differences, by.skipped], [[], undefined], JSON.stringify(more));
    t.ok(by.frames > 5, `${by.frames} frames`);
  }
  const { differences, skipped, frames } = await judgeDump(modes('balance-tcp'), open);
  t.strictSame([differences, skipped], [[], undefined], 'without LACP it takes and sends nothing');
  t.ok(frames > 5, `${frames} frames`);
});
