/**
 * Timelines by hand: a machine of KubeVirt migrates while others talk to it. It has 10.10.1.9, from
 * the subnet of n1; p1 and p2 are its neighbours there, p3 and p4 on n2, and x1 is outside.
 */
import type { Sequence, SequenceStep } from '../../harness/domain/timeline.js';
import type { Stimulus } from '../../harness/domain/test-vector.js';
import { machineAtHome, stepsOfPlot, vm, type Chapter } from './chapters.js';
import {
  domainIsAt,
  guestMoves,
  launcherComes,
  launcherEnds,
  machineGoes,
  targetIsReady,
} from './machine-events.js';
import { inFamily } from './in-family.js';
import type { AddressFamily, ZoneLayout } from './ovn-kubernetes-topology.js';
import { withIpv6 } from './with-ipv6.js';

const [p1, p3, x1, internet] = ['10.10.1.2', '10.10.2.2', '172.30.255.1', '8.8.8.8'];

export const stories = ['there-and-back', 'post-copy', 'failed', 'deleted'] as const;
export type Story = (typeof stories)[number];

export function liveMigration(
  story: Story,
  nodes: number,
  zones: ZoneLayout = 'one',
  family: AddressFamily = 'ipv4',
): Sequence {
  const first = withIpv6(machineAtHome(nodes, zones), family);
  const plot = [...atHome, ...plots[story]].flatMap((chapter) =>
    isToInternet(chapter)
      ? // The router passes on IPv4 alone.
        family === 'ipv6'
        ? []
        : [chapter]
      : inFamily(first, family, chapter),
  );
  return { cluster: first, steps: stepsOfPlot(first, plot) };
}

function isToInternet(chapter: Chapter): boolean {
  return (
    'kind' in chapter &&
    chapter.kind === 'vector' &&
    'to' in chapter.vector.stimulus &&
    chapter.vector.stimulus.to === internet
  );
}

const atHome: readonly Chapter[] = [
  dhcp('1-at-home'),
  udp('1-at-home', 'p3', vm),
  udp('1-at-home', 'vm1', p3),
  ping('1-at-home', 'vm1', x1),
  ping('1-at-home', 'p4', x1),
  ping('1-at-home', 'vm1', internet),
  arp('1-at-home', 'vm1', '169.254.1.1'),
  arp('1-at-home', 'vm1', '192.0.2.1'),
  open('1-at-home', 'p3', vm, 'in'),
  open('1-at-home', 'vm1', p3, 'out'),
  {
    what: 'a virt-launcher pod for vm1 comes to n2',
    change: (network) => launcherComes(network, 'vm1', 'b', 'n2'),
  },
  udp('2-target-created', 'p4', vm),
  ...talks('2-target-created'),
];

/** Traffic follows the machine wherever it is. */
function everybody(when: string): readonly Chapter[] {
  return [
    udp(when, 'p3', vm),
    udp(when, 'p4', vm),
    udp(when, 'vm1', p3),
    ping(when, 'vm1', x1),
    ping(when, 'vm1', internet),
    ...talks(when),
  ];
}

const guestOnN2: Chapter = {
  what: 'the guest of vm1 runs on n2',
  change: (network) => guestMoves(network, 'vm1', 'n2'),
};
const sourceEnds: Chapter = {
  what: 'the virt-launcher pod on n1 ends',
  change: (network) => launcherEnds(network, 'vm1', 'a'),
};

const plots: Readonly<Record<Story, readonly Chapter[]>> = {
  'there-and-back': [
    guestOnN2,
    udp('3-guest-moved', 'p4', vm),
    {
      what: 'KubeVirt says that vm1 runs on n2',
      change: (network) => domainIsAt(network, 'vm1', 'b'),
    },
    ...everybody('4-routes-follow'),
    udp('4-routes-follow', 'p2', vm),
    sourceEnds,
    dhcp('5-source-gone'),
    ...everybody('5-source-gone'),
    udp('5-source-gone', 'p1', vm),
    udp('5-source-gone', 'vm1', p1),
    {
      what: 'a virt-launcher pod for vm1 comes to n1 again',
      change: (network) => launcherComes(network, 'vm1', 'c', 'n1'),
    },
    udp('6-on-its-way-back', 'p3', vm),
    {
      what: 'the guest of vm1 runs on n1 again, and KubeVirt says so',
      change: (network) => domainIsAt(guestMoves(network, 'vm1', 'n1'), 'vm1', 'c'),
    },
    ...everybody('7-at-home-again'),
    {
      what: 'the virt-launcher pod on n2 ends',
      change: (network) => launcherEnds(network, 'vm1', 'b'),
    },
    dhcp('8-as-before'),
    ...everybody('8-as-before'),
    udp('8-as-before', 'p1', vm),
  ],
  'post-copy': [
    {
      what: 'the target on n2 is ready, and the guest is still on n1',
      change: (network) => targetIsReady(network, 'vm1', 'b'),
    },
    udp('3-routes-ahead', 'p4', vm),
    guestOnN2,
    ...everybody('4-guest-moved'),
    {
      what: 'KubeVirt says that vm1 runs on n2',
      change: (network) => domainIsAt(network, 'vm1', 'b'),
    },
    ...everybody('5-migration-over'),
    sourceEnds,
    dhcp('6-source-gone'),
    ...everybody('6-source-gone'),
    udp('6-source-gone', 'p1', vm),
  ],
  failed: [
    {
      what: 'the migration fails: the virt-launcher pod on n2 ends',
      change: (network) => launcherEnds(network, 'vm1', 'b', 'Failed'),
    },
    ...everybody('3-migration-failed'),
    {
      what: 'another virt-launcher pod for vm1 comes to n2',
      change: (network) => launcherComes(network, 'vm1', 'c', 'n2'),
    },
    ...everybody('4-second-try'),
    guestOnN2,
    {
      what: 'KubeVirt says that vm1 runs on n2, and the pod on n1 has ended',
      change: (network) => launcherEnds(domainIsAt(network, 'vm1', 'c'), 'vm1', 'a'),
    },
    ...everybody('5-migrated'),
    udp('5-migrated', 'p1', vm),
  ],
  deleted: [
    guestOnN2,
    {
      what: 'KubeVirt says that vm1 runs on n2',
      change: (network) => domainIsAt(network, 'vm1', 'b'),
    },
    ...everybody('3-migrated'),
    {
      what: 'vm1 is deleted',
      change: (network) => machineGoes(network, 'vm1'),
    },
    udp('4-deleted', 'p3', '10.10.1.2'),
    ping('4-deleted', 'p4', x1),
  ],
};

function talks(when: string): readonly SequenceStep[] {
  return [talk(when, 'p3', vm, 'in'), talk(when, 'vm1', p3, 'out')];
}

/** The guest asks for its address, as it does when it starts and when its lease ends. */
function dhcp(when: string): SequenceStep {
  return vector(`${when}/dhcp/vm1`, { kind: 'dhcp', from: 'vm1' });
}

function udp(when: string, from: string, to: string): SequenceStep {
  return vector(`${when}/udp/${from}/${to}`, { kind: 'udp', from, to, port: 7 });
}

function ping(when: string, from: string, to: string): SequenceStep {
  return vector(`${when}/ping/${from}/${to}`, { kind: 'ping', from, to });
}

/** 192.0.2.1 is in no network of the cluster. */
function arp(when: string, from: string, target: string): SequenceStep {
  return vector(`${when}/arp/${from}/${target}`, { kind: 'arp', from, target });
}

function open(when: string, from: string, to: string, connection: string): SequenceStep {
  return vector(`${when}/open/${from}/${to}`, { kind: 'open', from, to, port: 7, connection });
}

function talk(when: string, from: string, to: string, connection: string): SequenceStep {
  return vector(`${when}/talk/${from}/${to}`, { kind: 'talk', from, to, port: 7, connection });
}

function vector(id: string, stimulus: Stimulus): SequenceStep {
  return { kind: 'vector', vector: { id, stimulus } };
}
