/**
 * What ovn-controller learns from a packet, and by which the flows of all chassis change some time
 * after: neighbours (put_arp, put_nd), and that a machine runs behind a port that waited for it
 * (activation_strategy_rarp). It is held back from the controller until the next event of the
 * cluster: when it has learned is known then, and is the same each time.
 */
import { formatMac } from '../base/addresses/mac-and-ipv4.js';
import { Unavailable, Unsupported } from '../base/errors/errors.js';
import { until } from '../base/concurrency/until.js';
import type { OpenflowRelay } from '../ovs/openflow/openflow-relay.js';
import type { HandedOver } from '../ovs/openflow/openflow-messages.js';
import type { Row } from '../ovs/ovsdb/ovsdb.js';
import {
  isSameNeighbour,
  neighbourIn,
  unwritten,
  type Neighbour,
  type NeighbourTables,
} from './learned-neighbours.js';
import { entriesIn } from './row-values.js';
import type { Zone } from './zone.js';

/** By their codes (OVN include/ovn/actions.h, ACTION_OPCODES). */
const operations = { putArp: 1, putNd: 4, activate: 26 } as const;
/** The packet waits in the controller until it has learned who is asked for. */
const asking = { arp: 0, ndNs: 9 } as const;
/** OVN controller/mac-cache.c, BUFFERED_PACKETS_TIMEOUT_MS; by the machine's clock. */
const waitLimitMs = 10_000;
/** What ovn-controller may take to read from the database what it has written there. */
const slackMs = 1000;

/** Which packets are held back, and who others wait for. */
export interface Learning {
  isHeldBack(handed: HandedOver): boolean;
  /** Of these neighbours, those that packets wait for: from now on they do no more. */
  takeAwaited(learned: readonly Neighbour[]): readonly Neighbour[];
  /** How long the oldest of the packets that wait has waited; 0 where none does. */
  waitedMs(): number;
}

/** @param clock in ms: it has to be that of ovn-controller. */
export function learning(clock: () => number = () => performance.now()): Learning {
  let awaited: { readonly neighbour: Neighbour; readonly sinceMs: number }[] = [];
  return {
    isHeldBack: (handed) => {
      const operation = operationOf(handed.userdata);
      if (operation === asking.arp || operation === asking.ndNs) {
        const family = operation === asking.arp ? 'IPv4' : 'IPv6';
        awaited.push({ neighbour: neighbourIn(handed, family, 'outport'), sinceMs: clock() });
      }
      return isLearnedFrom(handed);
    },
    takeAwaited: (learned) => {
      const isLearned = (one: Neighbour) => learned.some((other) => isSameNeighbour(one, other));
      const found = awaited.filter(({ neighbour }) => isLearned(neighbour));
      awaited = awaited.filter((one) => !found.includes(one));
      return found.map(({ neighbour }) => neighbour);
    },
    waitedMs: () => Math.max(0, ...awaited.map(({ sinceMs }) => clock() - sinceMs)),
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
 * Lets each controller of a zone have what was held back from it, and waits until the zone's
 * database has it.
 * @returns those in which packets have waited for it, and continue.
 * @throws Unsupported where they wait in another controller than the one that learns; Unavailable
 *   where the machine is so slow that they may not be there any more.
 */
export async function letLearn<One extends Learner>(
  chassis: readonly One[],
  zone: Zone,
  limitMs: number,
): Promise<readonly One[]> {
  const continuing: One[] = [];
  for (const one of chassis) {
    const learned = await learn(one, zone, limitMs);
    const waitedMs = one.learning.waitedMs();
    const others = chassis.filter((other) => other !== one);
    const elsewhere = others.find(
      ({ learning: { takeAwaited } }) => takeAwaited(learned).length > 0,
    );
    if (elsewhere !== undefined)
      throw new Unsupported(
        `a packet waits in ovn-controller of node ${elsewhere.plan.node} for a MAC binding that ` +
          `node ${one.plan.node} learns: when it continues is not modelled`,
      );
    if (one.learning.takeAwaited(learned).length === 0) continue;
    if (waitedMs > waitLimitMs - slackMs)
      throw new Unavailable(
        `a packet has waited for ${Math.round(waitedMs)} ms in ovn-controller of node ` +
          `${one.plan.node}, which drops it after ${waitLimitMs}: this machine is too slow`,
      );
    continuing.push(one);
  }
  return continuing;
}

/** What the zone's database says behind it. */
async function learn(chassis: Learner, zone: Zone, limitMs: number): Promise<readonly Neighbour[]> {
  const released = chassis.relay.release();
  if (released.length === 0) return [];
  const isNeighbour = ({ userdata }: HandedOver) => operationOf(userdata) !== operations.activate;
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
  return learned;
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
