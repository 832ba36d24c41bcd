/**
 * Timelines by hand: streams of datagrams go to a virtual machine, and from it, while it moves from
 * n1 to n2, by each way that OVN has for it, with its events in every order. A datagram of each
 * stream is sent every ten milliseconds of virtual time.
 */
import type { Sequence, SequenceStep } from '../../harness/domain/timeline.js';
import { macOf } from '../addresses.js';
import { ovnCluster } from './ovn-cluster.js';
import type { MovingMachine, OvnTopology } from './ovn-topology.js';

/**
 * `rebound`: its port is bound to the interface of the other node. `both`: both chassis have it
 * for a time, and each gets what is for it. `activated`: the same, but the second lets nothing
 * through before its guest has sent RARP there.
 */
export const strategies = ['rebound', 'both', 'activated'] as const;
export type Strategy = (typeof strategies)[number];

/** What comes first: the guest's move, or what OVN is to do about it. */
export const firsts = ['ovn-first', 'guest-first'] as const;
export type First = (typeof firsts)[number];

/** When the guest announces itself by RARP (RFC 903), as QEMU does, once it runs elsewhere. */
export const announcements = ['at-once', 'late', 'never'] as const;
export type Announcement = (typeof announcements)[number];

const ip = '10.10.1.9';
const vm: MovingMachine = {
  name: 'vm1',
  ip,
  mac: macOf(ip),
  interfaces: ['n1', 'n2'],
  boundAt: ['n1'],
  requested: [],
  activeAt: [],
};

/** p1 and p2 on n1, p3 and p4 on n2, and the machine on n1, with an interface on both nodes. */
const first = guestAt({ ...ovnCluster({ nodes: 2, podsPerNode: 2 }), machine: vm }, 'n1');

function guestAt(network: OvnTopology, at: string): OvnTopology {
  const guest = { name: vm.name, ip, mac: vm.mac, migratable: true } as const;
  return {
    ...network,
    nodes: network.nodes.map((node) => {
      const others = node.pods.filter(({ name }) => name !== vm.name);
      return { ...node, pods: node.name === at ? [...others, guest] : others };
    }),
  };
}

type Change = (network: OvnTopology) => OvnTopology;
type Chapter = { readonly what: string; readonly change: Change } | SequenceStep;

const change =
  (part: Partial<MovingMachine>): Change =>
  (network) => ({ ...network, machine: { ...(network.machine ?? vm), ...part } });

const moves: Chapter = {
  what: 'the guest of vm1 runs on n2',
  change: (network) => guestAt(network, 'n2'),
};
const rebound: Chapter = {
  what: 'the port of vm1 is bound on n2 in place of n1',
  change: change({ boundAt: ['n2'] }),
};
const onBoth = (activation: MovingMachine['activation']): Chapter => ({
  what: 'n1 and n2 are requested for the port of vm1',
  change: change({
    requested: ['n1', 'n2'],
    boundAt: ['n1', 'n2'],
    ...(activation === undefined ? {} : { activation }),
  }),
});
const isHeard: Chapter = {
  what: 'ovn-controller has had what packets say by now',
  change: (network) => network,
};
const active: Chapter = {
  what: 'ovn-controller of n2 has had the RARP',
  change: change({ activeAt: ['n2'] }),
};
const over: Chapter = {
  what: 'n2 alone is requested for the port of vm1',
  change: change({ requested: ['n2'], boundAt: ['n2'] }),
};

export function moving(strategy: Strategy, order: First, announcement: Announcement): Sequence {
  const prepare =
    strategy === 'rebound' ? rebound : onBoth(strategy === 'both' ? undefined : 'rarp');
  const [early, later] = order === 'ovn-first' ? [prepare, moves] : [moves, prepare];
  const answer = strategy === 'activated' ? active : isHeard;
  const heard = announcement === 'never' ? [] : [rarp('announced'), answer];
  const plot: readonly Chapter[] = [
    ...datagrams('1-at-first'),
    early,
    ...datagrams('2-between'),
    later,
    ...(announcement === 'at-once' ? heard : []),
    ...datagrams('3-moved'),
    ...(announcement === 'late' ? heard : []),
    ...datagrams('4-announced'),
    ...(strategy === 'rebound' ? [] : [over]),
    ...datagrams('5-over'),
  ];
  let now = first;
  const steps = plot.map((chapter): SequenceStep => {
    if ('kind' in chapter) return chapter;
    now = chapter.change(now);
    return { kind: 'cluster', what: chapter.what, cluster: now };
  });
  return { cluster: first, steps };
}

const everyMs = 10;
/** From its own switch and from the other one, on both nodes, and back. */
const streams = [
  ['p1', ip],
  ['p3', ip],
  ['p4', ip],
  ['vm1', '10.10.1.3'],
  ['vm1', '10.10.2.2'],
] as const;

function datagrams(when: string): readonly SequenceStep[] {
  return [1, 2].flatMap((round) =>
    streams.map(
      ([from, to]): SequenceStep => ({
        kind: 'vector',
        vector: {
          id: `${when}/${round}/${from}/${to}`,
          stream: `${from} > ${to === ip ? 'vm1' : to}`,
          stimulus: { kind: 'udp', from, to, port: 7, afterMs: everyMs / streams.length },
        },
      }),
    ),
  );
}

/** Who has this MAC says so to everybody: reverse request, as QEMU's announce-self sends it. */
function rarp(when: string): SequenceStep {
  const mac = vm.mac.replaceAll(':', '');
  const hex = `0001080006040003${mac}00000000${mac}00000000`.padEnd(92, '0');
  return {
    kind: 'vector',
    vector: {
      id: `${when}/rarp/vm1`,
      stimulus: {
        kind: 'frame',
        from: vm.name,
        what: 'RARP of itself',
        frame: {
          src: vm.mac,
          dst: 'ff:ff:ff:ff:ff:ff',
          payload: { kind: 'other', etherType: 0x8035, hex },
        },
      },
    },
  };
}
