/**
 * What ovn-controller learns from a packet, and by which the flows of all chassis change some time
 * after: neighbours (put_arp, put_nd), and that a machine runs behind a port that waited for it
 * (activation_strategy_rarp). It is held back from the controller until the next event of the
 * cluster: when it has learned is known then, and is the same each time.
 */
import { formatIpv4, formatMac } from '../base/addresses/mac-and-ipv4.js';
import { Unsupported } from '../base/errors/errors.js';
import { until } from '../base/concurrency/until.js';
import type { OpenflowRelay } from '../ovs/openflow/openflow-relay.js';
import type { HandedOver } from '../ovs/openflow/openflow-messages.js';
import type { Row } from '../ovs/ovsdb/ovsdb.js';
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
  await zone.whileAlive(
    until(`ovn-controller of node ${node} to learn from packets`, limitMs, async () => {
      const [bindings = [], ports = []] = await zone.south.ovsdb.transact([
        { op: 'select', table: 'MAC_Binding', where: [], columns: ['ip', 'mac'] },
        { op: 'select', table: 'Port_Binding', where: [], columns: ['mac', 'options'] },
      ]);
      return released.flatMap(({ userdata, frame }) =>
        operationOf(userdata) === operations.activate
          ? activationMissing(frame, ports, node)
          : neighbourMissing(frame, bindings),
      );
    }),
  );
}

function activationMissing(
  frame: Uint8Array,
  ports: readonly Row[],
  node: string,
): readonly string[] {
  const mac = formatMac(frame, 6);
  const port = ports.find((row) => JSON.stringify(row['mac']).includes(mac));
  const options = new Map(entriesIn(port?.['options']));
  const activated = options.get('additional-chassis-activated')?.split(',') ?? [];
  return activated.includes(node) ? [] : [`the port of ${mac} is not active at ${node}`];
}

/** Of ARP: who says where it is. */
function neighbourMissing(frame: Uint8Array, bindings: readonly Row[]): readonly string[] {
  const isArp = frame[12] === 8 && frame[13] === 6;
  const mac = formatMac(frame, 6);
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
  const ip = isArp ? formatIpv4(view.getUint32(28)) : undefined;
  return bindings.some((row) => row['mac'] === mac && (ip === undefined || row['ip'] === ip))
    ? []
    : [`no MAC binding of ${ip ?? ''} ${mac}`];
}

function entriesIn(value: unknown): readonly (readonly [string, string])[] {
  return Array.isArray(value) && value[0] === 'map'
    ? (value[1] as readonly (readonly [string, string])[])
    : [];
}
