/**
 * Goal: settings that decide over some packets alone cost no others an answer. Method: a database
 * whose ports speak BFD, CFM and LLDP and whose bridge keeps floods of a VLAN; packets that meet
 * that, and packets that do not.
 */
import t from 'tap';
import { dumpedSwitch } from '../dumps/dumped-switch.js';
import { bridgesOf } from '../dumps/ovsdb/database-bridges.js';
import { readDatabase } from '../dumps/ovsdb/read-database.js';
import { readFlow } from './packet-stimulus.js';
import { tracePackets } from './trace-packets.js';

const table = (name: string, headings: readonly string[], data: readonly (readonly unknown[])[]) =>
  JSON.stringify({ caption: `${name} table`, headings, data });
const id = (number: number) => ['uuid', `00000000-0000-4000-8000-00000000000${number}`];
const ports = [1, 2, 3] as const;

function traced(flows: string, flow: string, more: Readonly<Record<string, unknown>>, groups = '') {
  const { bfd = ['map', []], cfm = ['set', []], lldp = ['map', []], lacp = ['set', []] } = more;
  const text = [
    table(
      'Bridge',
      ['_uuid', 'name', 'ports', 'flood_vlans'],
      [[id(9), 'br0', ['set', ports.map(id)], more['flood'] ?? ['set', []]]],
    ),
    table(
      'Port',
      ['_uuid', 'name', 'interfaces', 'lacp'],
      ports.map((n) => [id(n), `p${n}`, id(n + 3), lacp]),
    ),
    table(
      'Interface',
      ['_uuid', 'name', 'ofport', 'bfd', 'cfm_mpid', 'lldp'],
      ports.map((n) => [id(n + 3), `p${n}`, n, bfd, cfm, lldp]),
    ),
  ].join('\n');
  const target = dumpedSwitch(
    [
      {
        bridge: 'br0',
        flows: { text: flows, file: 'flows' },
        ...(groups === '' ? {} : { groups: { text: groups, file: 'groups' } }),
      },
    ],
    bridgesOf(readDatabase({ text, file: 'ovsdb' })),
  );
  const [result] = tracePackets(target.plan, [
    readFlow(flow, target, undefined, { payload: undefined }),
  ]);
  return result?.refused?.message ?? result?.outputs.map(({ port }) => port).join();
}

const on = ['map', [['enable', 'true']]];
const plain = 'in_port=1,udp,nw_ttl=64';
const watching = 'group_id=1,type=ff,bucket=watch_port:2,actions=output:2';

void t.test('protocols that the switch speaks', (t) => {
  for (const [more, flow, protocol] of [
    [{ bfd: on }, `${plain},tp_dst=3784`, 'BFD'],
    [{ cfm: 5 }, 'in_port=1,dl_type=0x8902', 'CFM'],
    [{ lldp: on }, 'in_port=1,dl_type=0x88cc', 'LLDP'],
    [{ lacp: 'active' }, 'in_port=1,dl_type=0x8809', 'LACP'],
  ] as const) {
    t.equal(traced('actions=output:2', plain, more), 'p2', protocol);
    t.equal(traced('actions=output:2', flow, {}), 'p2', `without ${protocol}`);
    t.match(
      traced('actions=output:2', flow, more),
      `one of ${protocol}, which the switch itself speaks at p1`,
    );
  }
  t.match(
    traced('actions=group:1', plain, { bfd: on }, watching),
    /whether port p2 is alive BFD decides/,
  );
  t.equal(traced('actions=group:1', plain, { lldp: on }, watching), 'p2');
  t.end();
});

void t.test('settings of NORMAL', (t) => {
  t.equal(traced('actions=output:2', plain, { flood: 5 }), 'p2');
  t.match(traced('actions=NORMAL', plain, { flood: 5 }), /NORMAL goes by flood_vlans=5 of br0/);
  t.end();
});

void t.test('OVN, whose option nobody has mapped', (t) => {
  const own = dumpedSwitch([
    {
      bridge: 'br-int',
      flows: { text: 'metadata=0x1,actions=set_field:0x2->tun_metadata0,output:2', file: 'flows' },
    },
  ]);
  t.match(own.notes.join(), /tun_metadata0 of br-int is: taken to be that of OVN/);
  t.strictSame(own.plan.bridges[0]?.tunnelOptions, [
    '{class=0x102,type=0x80,len=4}->tun_metadata0',
  ]);
  t.end();
});
