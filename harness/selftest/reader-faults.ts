/**
 * Faults in how dumps are read: the model has what a reader would make of one that misses
 * something, the switch is built from the dump itself.
 */
import type { NodePlan } from '../domain/plan/cluster-plan.js';
import type { BridgePlan } from '../domain/plan/bridge-plan.js';
import type { PortPlan } from '../domain/plan/port-plan.js';
import type { Finding } from '../domain/verdict.js';
import { dumpedSwitch, type DumpedSwitch } from '../dumps/dumped-switch.js';
import { bridgesOf } from '../dumps/ovsdb/database-bridges.js';
import type { Column, Row } from '../dumps/ovsdb/database.js';
import { printJsonDump } from '../dumps/ovsdb/print-dump.js';
import { readDatabase } from '../dumps/ovsdb/read-database.js';
import type { Image } from '../ovs/process/image.js';
import { defaultBackend } from '../testbeds/registry.js';
import type { OpenOptions } from '../testbeds/ovs-switches.js';
import { checkPackets, injectionOf, withControllers } from '../trace/check-packets.js';
import { readFlow } from '../trace/packet-stimulus.js';

export interface ReaderFault {
  readonly name: string;
  /** The packet that meets it, in the words of `check`. */
  readonly packet: string;
  readonly misread: (bridge: BridgePlan) => BridgePlan;
  /** Nobody has dumped the database: `show` alone lists the ports. */
  readonly has?: 'no database';
}

const everyPort =
  (change: (port: PortPlan) => PortPlan) =>
  (bridge: BridgePlan): BridgePlan => ({ ...bridge, ports: bridge.ports.map(change) });

const broadcast = 'in_port=p1,udp,dl_src=0a:00:00:00:00:01,dl_dst=ff:ff:ff:ff:ff:ff,nw_ttl=64';

const arp = broadcast.replace('udp', 'arp').replace(',nw_ttl=64', '');

export const readerFaults: readonly ReaderFault[] = [
  {
    name: 'a reader that drops the tag of a port',
    packet: broadcast,
    misread: everyPort(({ vlan: _, ...port }) => port),
  },
  {
    name: 'a reader that takes NO_FLOOD for nothing',
    packet: broadcast,
    misread: everyPort(({ flood: _, ...port }) => port),
  },
  {
    name: 'a reader that takes a link that is down for one that is up',
    packet: broadcast,
    misread: everyPort(({ link: _, ...port }) => port),
  },
  {
    name: 'a reader that misses a mirror',
    packet: arp,
    misread: ({ mirrors: _, ...bridge }) => bridge,
  },
  {
    name: 'a reader that takes a priority for another',
    packet: arp,
    misread: (bridge) => ({
      ...bridge,
      flows: bridge.flows.map((flow) => flow.replace('priority=9', 'priority=90')),
    }),
  },
  {
    name: 'a reader of show that misses its last port',
    packet: broadcast.replace('p1', 'p3'),
    has: 'no database',
    misread: ({ ports, ...bridge }) => ({ ...bridge, ports: ports.slice(0, -1) }),
  },
  {
    name: 'a reader of show that takes the numbers of two ports for one another',
    packet: arp,
    has: 'no database',
    misread: everyPort((port) =>
      port.ofport === 2 || port.ofport === 3 ? { ...port, ofport: 5 - port.ofport } : port,
    ),
  },
];

/** A bridge with something for each of them. */
export function sampleDump(has: 'no database' | undefined): DumpedSwitch {
  const source = (file: string, text: string) => ({ file, text });
  return dumpedSwitch(
    [
      {
        bridge: 'br0',
        flows: source(
          'flows',
          [
            ' cookie=0x0, duration=1.5s, table=0, n_packets=3, n_bytes=180, priority=9,arp ' +
              'actions=output:3',
            ' cookie=0x7, duration=1.5s, table=0, n_packets=3, n_bytes=180, priority=10,arp ' +
              'actions=output:2',
            ' cookie=0x0, duration=2.5s, table=0, n_packets=0, n_bytes=0, priority=1 ' +
              'actions=NORMAL',
          ].join('\n'),
        ),
        ports: source('ports', shownPorts),
      },
    ],
    has === undefined
      ? bridgesOf(readDatabase(source('ovsdb.json', printJsonDump(database))))
      : undefined,
  );
}

const shownPorts = ['1(p1)', '2(p2)', '3(p3)', '4(p4)', 'LOCAL(br0)']
  .map(
    (port) =>
      ` ${port}: addr:02:00:00:00:00:01\n     config:     ${port === '2(p2)' ? 'NO_FLOOD' : '0'}\n` +
      '     state:      0\n',
  )
  .join('');

const row = (columns: Readonly<Record<string, Column>>): Row => new Map(Object.entries(columns));
const idOf = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
const portNames = ['br0', 'p1', 'p2', 'p3', 'p4'];

const database = {
  tables: new Map([
    ['Open_vSwitch', new Map([[idOf(0), row({ bridges: [idOf(1)] })]])],
    [
      'Bridge',
      new Map([
        [
          idOf(1),
          row({
            name: ['br0'],
            ports: portNames.map((_, at) => idOf(10 + at)),
            mirrors: [idOf(2)],
          }),
        ],
      ]),
    ],
    [
      'Mirror',
      new Map([
        [idOf(2), row({ name: ['span'], select_src_port: [idOf(11)], output_port: [idOf(13)] })],
      ]),
    ],
    [
      'Port',
      new Map(
        portNames.map((name, at) => [
          idOf(10 + at),
          row({
            name: [name],
            interfaces: [idOf(20 + at)],
            ...(name === 'p1' || name === 'p2' ? { tag: ['10'] } : {}),
          }),
        ]),
      ),
    ],
    [
      'Interface',
      new Map(
        portNames.map((name, at) => [
          idOf(20 + at),
          row({
            name: [name],
            type: [at === 0 ? 'internal' : ''],
            ofport: [String(at === 0 ? 65534 : at)],
            link_state: [name === 'p4' ? 'down' : 'up'],
          }),
        ]),
      ),
    ],
  ]),
};

/** What model and switch differ in once the dump is misread; without a fault they agree. */
export async function tryReaderFault(
  { packet, misread, has }: Omit<ReaderFault, 'name'>,
  image: Image,
  sim: OpenOptions = {},
): Promise<readonly Finding[]> {
  const target = sampleDump(has);
  const plan: NodePlan = withControllers({
    ...target.plan,
    bridges: target.plan.bridges.map(misread),
  });
  const real = await defaultBackend.open({ nodes: [plan] }, image, sim);
  try {
    const stimulus = readFlow(packet, target, undefined, { payload: undefined });
    return (await checkPackets(plan, real, [injectionOf(plan, stimulus)])).findings;
  } finally {
    await real.close();
  }
}
