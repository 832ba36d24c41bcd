/** Goal: a trace reads as the tables that a packet goes through, and its JSON says the same. Method: one packet on its way through two tables. */
import { stripVTControlCharacters } from 'node:util';
import t from 'tap';
import { renderTrace, traceAsJson } from './trace.js';

const id = (table: number, match: string) => ({ node: 'switch', bridge: 'br0', table, priority: 7, match });
const result = {
  path: [
    { bridge: 'br0', table: 0, flow: { id: id(0, 'in_port=1'), actions: 'set_field:0x3->reg0,goto_table:9' }, effects: [{ kind: 'write' as const, flow: id(0, 'in_port=1'), field: 'reg0' }] },
    { bridge: 'br0', table: 9, flow: { id: id(9, ''), actions: 'output:2' }, effects: [{ kind: 'output' as const, flow: id(9, ''), port: 'p2' }] },
    { bridge: 'br-phys', table: 0, effects: [{ kind: 'drop' as const, why: 'no flow of table 0 matches' }] },
  ],
  outputs: [{ port: 'p2', frame: new Uint8Array(14) }],
  state: { connections: [], macs: [] },
};

void t.test('for people', (t) => {
  t.strictSame(stripVTControlCharacters(renderTrace(new Uint8Array(14), 'p1', result)).split('\n').filter((line) => !/^(into|out of) /.test(line)), [
    '', 'bridge br0', '  0. in_port=1, priority 7', '      set_field:0x3->reg0,goto_table:9', '      writes reg0', '  9. any packet, priority 7', '      output:2', '      sends to p2',
    'bridge br-phys', '  0. no flow matches', '      ends: no flow of table 0 matches', '',
  ]);
  t.match(stripVTControlCharacters(renderTrace(new Uint8Array(14), 'p1', { ...result, outputs: [] })), /\n\nnothing comes out$/);
  t.end();
});

void t.test('for programs', (t) => {
  t.strictSame(JSON.parse(traceAsJson(result)), {
    outputs: [{ port: 'p2', frame: '00'.repeat(14) }],
    path: [
      { bridge: 'br0', table: 0, flow: 'in_port=1', priority: 7, actions: 'set_field:0x3->reg0,goto_table:9' }, { bridge: 'br0', table: 9, flow: '', priority: 7, actions: 'output:2' },
      { bridge: 'br-phys', table: 0 },
    ],
    state: { connections: [], macs: [] },
  });
  t.end();
});
