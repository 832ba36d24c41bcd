/**
 * Timelines by hand: a machine of KubeVirt migrates from n1 to n2, and the zones of both learn of
 * it at times of their own, in every order. A datagram of each stream is sent every ten
 * milliseconds of virtual time.
 */
import type { Sequence } from '../../harness/domain/timeline.js';
import { machineAtHome, stepsOfPlot, type Chapter } from './chapters.js';
import { domainIsAt, guestMoves, launcherComes, launcherEnds } from './machine-events.js';
import { datagrams } from './migration-loss.js';
import { ordersOf } from '../ovn-cni/orders.js';
import type { OvnKubernetesTopology } from './ovn-kubernetes-topology.js';

/** A letter each, in the order of the words of the axis. */
const events = {
  '1': { what: 'the zone of n1 hears that vm1 runs on n2', change: hears('n1') },
  '2': { what: 'the zone of n2 hears that vm1 runs on n2', change: hears('n2') },
  e: { what: 'the virt-launcher pod on n1 ends', change: sourceEnds },
  g: {
    what: 'the guest of vm1 runs on n2',
    change: (network) => guestMoves(network, 'vm1', 'n2'),
  },
} as const satisfies Readonly<Record<string, Chapter>>;
type Event = keyof typeof events;

/** All in which the source's pod ends only once the guest has left it. */
export const hearingOrders: readonly string[] = ordersOf(Object.keys(events)).filter(
  (order) => order.indexOf('g') < order.indexOf('e'),
);

export function migrationOrder(order: string): Sequence {
  const home = machineAtHome(2, 'a-node');
  const machines = home.machines.map((machine) => ({ ...machine, knownTo: ['p2'] }));
  const first = { ...home, machines };
  const plot: readonly Chapter[] = [
    {
      what: 'a virt-launcher pod for vm1 comes to n2',
      change: (network) => launcherComes(network, 'vm1', 'b', 'n2'),
    },
    ...datagrams('0-target-created'),
    ...([...order] as Event[]).flatMap((event, index) => [
      events[event],
      ...datagrams(`${index + 1}-${event}`),
    ]),
  ];
  return { cluster: first, steps: stepsOfPlot(first, plot) };
}

/** KubeVirt says it to all, and the other zone learns of it later, unless it has already. */
function hears(zone: 'n1' | 'n2') {
  return (network: OvnKubernetesTopology): OvnKubernetesTopology => {
    const { heardMachines, ...others } = network;
    if (heardMachines !== undefined) return others;
    const other = zone === 'n1' ? 'n2' : 'n1';
    return {
      ...domainIsAt(others, 'vm1', 'b'),
      heardMachines: { [other]: network.machines },
    };
  };
}

/** All learn of that at once. */
function sourceEnds(network: OvnKubernetesTopology): OvnKubernetesTopology {
  const { heardMachines = {}, ...others } = network;
  const heard = Object.entries(heardMachines).map(
    ([zone, machines]) =>
      [zone, launcherEnds({ ...others, machines }, 'vm1', 'a').machines] as const,
  );
  return {
    ...launcherEnds(others, 'vm1', 'a'),
    ...(heard.length === 0 ? {} : { heardMachines: Object.fromEntries(heard) }),
  };
}
