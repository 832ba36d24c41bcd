/**
 * What ovn-controller learns from a packet, and by which the flows of all chassis change some time
 * after: neighbours (put_arp, put_nd), and that a machine runs behind a port that waited for it
 * (activation_strategy_rarp). It is held back from the controller until the next event of the
 * cluster: when it has learned is known then, and is the same each time.
 */
import { formatMac } from '../base/addresses/mac-and-ipv4.js';
import { Unsupported } from '../base/errors/errors.js';
import { until } from '../base/concurrency/until.js';
import type { OpenflowRelay } from '../ovs/openflow/openflow-relay.js';
import type { HandedOver } from '../ovs/openflow/openflow-messages.js';
import type { Row } from '../ovs/ovsdb/ovsdb.js';
import {
  neighbourIn,
  unwritten,
  type Neighbour,
  type NeighbourTables,
} from './learned-neighbours.js';
import { entriesIn } from './row-values.js';
import type { Zone } from './zone.js';

/** By their codes (OVN include/ovn/actions.h, ACTION_OPCODES). */
const operations = { putArp: 1, putNd: 4, activate: 26 } as const;
/** `arp` and `nd_ns`: the packet waits in the controller until it has learned who is asked for. */
const asking: readonly number[] = [0, 9];

/** Which packets are held back, and whether packets wait. */
export interface Learning {
  isHeldBack(handed: HandedOver): boolean;
  packetsWait(): boolean;
}

export function learning(): Learning {
  let asked = false;
  return {
    isHeldBack: (handed) => {
      asked ||= asking.includes(operationOf(handed.userdata));
      return isLearnedFrom(handed);
    },
    packetsWait: () => asked,
  };
}

function isLearnedFrom({ userdata }: HandedOver): boolean {
  const code = operationOf(userdata);
  return Object.values(operations).some((known) => known === code);
}

function operationOf(userdata: readonly number[]): number {
  return userdata.length < 4 ? -1 : userdata.slice(0, 4).reduce((sum, byte) => sum * 256 + byte, 0);
}

interface Learner {
  readonly plan: { readonly node: string };
  readonly relay: OpenflowRelay;
  readonly learning: Learning;
  whileAlive<T>(work: Promise<T>): Promise<T>;
}

/**
 * Lets the controller have what was held back, and waits until the zone's database has it.
 * @throws Unsupported where a packet may have waited for it, and would go on now.
 */
export async function letLearn(chassis: Learner, zone: Zone, limitMs: number): Promise<void> {
  const released = chassis.relay.release();
  if (released.length === 0) return;
  const isNeighbour = ({ userdata }: HandedOver) => operationOf(userdata) !== operations.activate;
  if (chassis.learning.packetsWait() && released.some(isNeighbour))
    throw new Unsupported(
      `a packet that waits in ovn-controller of node ${chassis.plan.node} for a MAC binding, and ` +
        'continues once it is learned, is not modelled',
    );
  await chassis.whileAlive(chassis.relay.quiesce());
  const { node } = chassis.plan;
  const learned = released.flatMap((handed) => neighboursIn(handed));
  const activated = released.filter((handed) => !isNeighbour(handed));
  await zone.whileAlive(
    until(`ovn-controller of node ${node} to learn from packets`, limitMs, async () => {
      const tables = await tablesOf(zone);
      return [
        ...activated.flatMap(({ frame }) => activationMissing(frame, tables.portBindings, node)),
        ...unwritten(learned, tables),
      ];
    }),
  );
}

function neighboursIn(handed: HandedOver): readonly Neighbour[] {
  const operation = operationOf(handed.userdata);
  if (operation === operations.activate) return [];
  return [neighbourIn(handed, operation === operations.putArp ? 'IPv4' : 'IPv6')];
}

async function tablesOf({ south }: Zone): Promise<NeighbourTables> {
  const select = (table: string, ...columns: readonly string[]) =>
    ({ op: 'select', table, where: [], columns }) as const;
  const [macBindings = [], portBindings = [], datapaths = []] = await south.ovsdb.transact([
    select('MAC_Binding', 'logical_port', 'ip', 'mac', 'datapath'),
    select('Port_Binding', 'logical_port', 'tunnel_key', 'datapath', 'mac', 'options'),
    select('Datapath_Binding', '_uuid', 'tunnel_key'),
  ]);
  return { macBindings, portBindings, datapaths };
}

function activationMissing(
  frame: Uint8Array,
  ports: readonly Row[],
  node: string,
): readonly string[] {
  const mac = formatMac(frame, 6);
  const port = ports.find((row) => JSON.stringify(row['mac']).includes(mac));
  const options = new Map(entriesIn(port ?? {}, 'options'));
  const activated = options.get('additional-chassis-activated')?.split(',') ?? [];
  return activated.includes(node) ? [] : [`the port of ${mac} is not active at ${node}`];
}
