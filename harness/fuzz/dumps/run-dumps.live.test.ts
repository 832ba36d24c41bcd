// Goal: reader, model and switch do the same with random dumps, and what a reader misses is found
// and shrunk. Method: a few cases of a seed; then a switch that is built with another tag.
import t from 'tap';
import { openImage } from '../../../images/images.js';
import { defaultBackend } from '../../testbeds/registry.js';
import { drawDump } from './draw-dump.js';
import { idOf, type DumpCase, type DumpSetting } from './dump-case.js';
import { judgeDump } from './judge-dump.js';
import type { NodePlan } from '../../domain/plan/cluster-plan.js';
import { runDumps } from './run-dumps.js';

const image = await openImage('trixie', (line) => t.comment(line));
const open = (plan: NodePlan) => defaultBackend.open({ nodes: [plan] }, image);

void t.test('cases are the same each time', (t) => {
  t.strictSame(drawDump(7, 3), drawDump(7, 3));
  t.strictNotSame(drawDump(7, 3), drawDump(7, 4));
  t.end();
});

void t.test('a few cases', async (t) => {
  const result = await runDumps({ seed: 1, count: 12, open });
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
  const { findings } = await runDumps({ seed: 1, count: 12, open: misbuilt });
  t.not(findings.length, 0);
  for (const { smallest } of findings) t.ok(smallest.settings.length <= 4, 'it is shrunk');
});

const mirror = (column: string, value: string): DumpSetting => ({
  kind: 'column',
  table: 'Mirror',
  row: 'm0',
  column,
  value: [value],
});
const arp = '0806' + '0001080006040001' + '0a00000000010a000001' + '0000000000000a000002';

/** What was found once, at its smallest. */
const found: readonly { readonly why: string; readonly dump: DumpCase; readonly skips?: RegExp }[] =
  [
    {
      why: 'the model mirrored what came in at a port with NO_RECV',
      dump: {
        settings: [
          { kind: 'flag', port: 4, flag: 'NO_RECV' },
          mirror('select_all', 'true'),
          mirror('output_port', idOf('Port', 'p1')),
        ],
        packets: [{ port: 'p4', frame: `0a00000000030a0000000001${arp}` }],
      },
    },
    {
      why: 'a flood and a copy into a VLAN meet at a port in an order of the switch',
      dump: {
        settings: [
          { kind: 'flow', text: 'table=0, priority=1 actions=NORMAL' },
          mirror('select_dst_port', idOf('Port', 'p3')),
          mirror('output_vlan', '10'),
        ],
        packets: [{ port: 'br0', frame: `0a00000000010a0000000002${arp}` }],
      },
      skips: /does not know at which of several ports mirror m0 copies a packet first/,
    },
  ];

for (const { why, dump, skips } of found)
  void t.test(why, async (t) => {
    const { differences, skipped } = await judgeDump(dump, open);
    t.strictSame(differences, []);
    if (skips === undefined) t.equal(skipped, undefined);
    else t.match(skipped, skips);
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
  const setting = (table: string, row: string, column: string, value: string): DumpSetting => ({
    kind: 'column',
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
  t.match(
    (await judgeDump(bond([setting('Port', 'p2', 'bond_mode', 'balance-slb')]), open)).skipped,
    /meets bond p2, and which of its members/,
  );
});
