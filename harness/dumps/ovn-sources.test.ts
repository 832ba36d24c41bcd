// Goal: dumps of OVN's databases name what flows come from, by their cookies. Method: rows by hand,
// as ovsdb-client prints them.
import t from 'tap';
import { readAnyDatabase } from './ovsdb/read-database.js';
import { ovnSources } from './ovn-sources.js';

const switchId = '11111111-0000-4000-8000-000000000001';
const portId = '00abcdef-0000-4000-8000-000000000002';
const flowId = '0012ab34-0000-4000-8000-000000000003';

const map = (entries: Readonly<Record<string, string>>) => ['map', Object.entries(entries)];

function dump(tables: Readonly<Record<string, readonly object[]>>, file: string) {
  const text = Object.entries(tables)
    .map(([name, rows]) => {
      const headings = Object.keys(rows[0] ?? { _uuid: '' });
      const data = rows.map((row) => Object.values(row) as readonly unknown[]);
      return JSON.stringify({ caption: `${name} table`, headings, data });
    })
    .join('\n');
  return readAnyDatabase({ text, file });
}

const south = dump(
  {
    Datapath_Binding: [{ _uuid: ['uuid', switchId], external_ids: map({ name: 'n1' }) }],
    Logical_Flow: [
      {
        _uuid: ['uuid', flowId],
        logical_datapath: ['uuid', switchId],
        logical_dp_group: ['set', []],
        pipeline: 'ingress',
        table_id: 4,
        priority: 50,
        match: 'arp.tpa == 10.0.0.1',
        external_ids: map({ 'stage-name': 'ls_in_arp_rsp', 'stage-hint': '00abcdef' }),
      },
    ],
  },
  'sb.json',
);
const north = dump(
  {
    Logical_Switch: [{ _uuid: ['uuid', switchId], name: 'n1' }],
    Logical_Switch_Port: [{ _uuid: ['uuid', portId], name: 'p1' }],
  },
  'nb.json',
);
const flow = 'n1 ingress 4 ls_in_arp_rsp priority=50 arp.tpa == 10.0.0.1';

void t.test('logical flows, and the rows behind them', async (t) => {
  t.strictSame(ovnSources(south), { '0x12ab34': flow });
  t.strictSame(ovnSources(south, north), { '0x12ab34': `${flow}, for Logical_Switch_Port p1` });
});

void t.test('another database than was asked for', async (t) => {
  t.throws(() => ovnSources(north), {
    name: 'InputError',
    message: /^nb\.json: there is no table Logical_Flow in it: a dump of OVN's southbound/,
  });
  t.throws(() => ovnSources(south, south), { message: /^sb\.json: there is no table Logical_Sw/ });
});
