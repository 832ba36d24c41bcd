/**
 * Timelines by hand: streams of datagrams go to a machine of KubeVirt, and from it, while it
 * migrates from n1 to n2, with its events in every order that may happen. A datagram of each stream
 * is sent every ten milliseconds of virtual time.
 */
import type { Sequence, SequenceStep } from '../../harness/domain/timeline.js';
import { machineAtHome, stepsOfPlot, vm, type Chapter } from './chapters.js';
import {
  domainIsAt,
  guestMoves,
  launcherComes,
  launcherEnds,
  targetIsReady,
} from './machine-events.js';
import type { ZoneLayout } from './ovn-kubernetes-topology.js';

/** What happens once the target's pod is there, by its letter in the names of orders. */
const events = {
  guest: {
    what: 'the guest of vm1 runs on n2',
    change: (network) => guestMoves(network, 'vm1', 'n2'),
  },
  ready: {
    what: 'the target on n2 is ready',
    change: (network) => targetIsReady(network, 'vm1', 'b'),
  },
  said: {
    what: 'KubeVirt says that vm1 runs on n2',
    change: (network) => domainIsAt(network, 'vm1', 'b'),
  },
  ends: {
    what: 'the virt-launcher pod on n1 ends',
    change: (network) => launcherEnds(network, 'vm1', 'a'),
  },
} as const satisfies Readonly<Record<string, Chapter>>;

/**
 * Pre-copy, post-copy, and what is said too early or too late: the source's pod ends only once the
 * guest has left it.
 */
export const orders = [
  'guest-said-ends',
  'ready-guest-said-ends',
  'said-guest-ends',
  'guest-ends-said',
] as const;
export type Order = (typeof orders)[number];

export function migrationLoss(order: Order, zones: ZoneLayout): Sequence {
  const home = machineAtHome(2, zones);
  const machines = home.machines.map((machine) => ({ ...machine, knownTo: ['p2'] }));
  const first = { ...home, machines };
  const names = order.split('-') as (keyof typeof events)[];
  const plot: readonly Chapter[] = [
    ...datagrams('1-at-home'),
    {
      what: 'a virt-launcher pod for vm1 comes to n2',
      change: (network) => launcherComes(network, 'vm1', 'b', 'n2'),
    },
    ...datagrams('2-target-created'),
    ...names.flatMap((name, index) => [events[name], ...datagrams(`${index + 3}-${name}`)]),
  ];
  return { cluster: first, steps: stepsOfPlot(first, plot) };
}

/** From other nodes, from the machine's own, and out of the cluster. */
const streams = [
  ['p3', vm],
  ['p4', vm],
  ['p2', vm],
  ['vm1', '10.10.2.2'],
  ['vm1', '172.30.255.1'],
] as const;

export function datagrams(when: string): readonly SequenceStep[] {
  return [1, 2].flatMap((round) =>
    streams.map(
      ([from, to]): SequenceStep => ({
        kind: 'vector',
        vector: {
          id: `${when}/${round}/${from}/${to}`,
          stream: `${from} > ${to === vm ? 'vm1' : to}`,
          stimulus: { kind: 'udp', from, to, port: 7, afterMs: everyMs / streams.length },
        },
      }),
    ),
  );
}

const everyMs = 10;
