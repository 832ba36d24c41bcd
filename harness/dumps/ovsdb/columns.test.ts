// Goal: what a row says and plans have no words for is refused or noted by its name, and nothing
// else is. Method: rows with columns as they come, set, and unknown.
import t from 'tap';
import { complainAboutRow } from './complain-about-row.js';
import type { Column } from './database.js';

const of = (table: string, row: Readonly<Record<string, Column>>) =>
  complainAboutRow(table, new Map(Object.entries(row)));
const none = { refused: [], notes: [] };

void t.test('what is refused', (t) => {
  t.strictSame(of('Port', { _uuid: ['x'], name: ['p1'], protected: ['false'], lacp: [] }), none);
  t.strictSame(of('Bridge', { flood_vlans: ['5', '6'], stp_enable: ['true'] }).refused, [
    'stp_enable=true',
  ]);
  t.strictSame(of('Bridge', { colour: [] }).refused, ['colour, a column that is not known']);
  t.strictSame(of('Colour', { name: ['x'] }).refused, ['name, a column that is not known']);
  const config = (...entries: readonly (readonly [string, string])[]) => ({
    other_config: new Map(entries),
  });
  t.strictSame(of('Open_vSwitch', config(['vlan-limit', '1'], ['of-mine', 'x'])), none);
  t.strictSame(of('Open_vSwitch', config(['flow-restore-wait', 'true'])).refused, [
    'other_config:flow-restore-wait=true',
  ]);
  t.strictSame(
    of('Interface', { bfd: new Map([['enable', 'true']]), cfm_mpid: ['5'] }),
    none,
    'packets that meet what these decide are refused',
  );
  t.end();
});

void t.test('what is noted', (t) => {
  t.strictSame(of('Interface', { ingress_policing_rate: ['0'] }), none);
  t.strictSame(of('Interface', { ingress_policing_rate: ['100'] }), {
    refused: [],
    notes: [
      'ingress_policing_rate=100: what drops or delays packets by their rate is not answered',
    ],
  });
  t.end();
});
