/** Which faults `flowbed selftest` plants into which scenarios. */
import type { TestVector } from '../domain/test-vector.js';
import { antreaFaults } from './faults.js';
import type { Fault } from './fault.js';
import { contrailFaults } from './contrail-faults.js';
import {
  contrailCrashFaults,
  contrailMissedFaults,
  contrailRemovalFaults,
} from './contrail-program-faults.js';
import { aclFaults } from './acl-faults.js';
import { egressIpFaults } from './egress-faults.js';
import { ovnCniDeletionFaults, ovnCniPolicyFaults, ovnCniPortFaults } from './ovn-cni-faults.js';
import {
  hearingFaults,
  ipv6MigrationFaults,
  ipv6NeighbourFaults,
  migrationFaults,
  neighbourFaults,
  announcementFaults,
  waitingFaults,
} from './migration-faults.js';
import { ovnFaults } from './ovn-faults.js';
import { ovnServiceFaults } from './ovn-service-faults.js';
import { noEncapFaults } from './no-encap-faults.js';
import { policyFaults } from './policy-faults.js';
import { groupFaults, programFaults } from './program-faults.js';
import { egressFaults, serviceFaults } from './service-faults.js';
import {
  endpointFaults,
  leftoverRouteFaults,
  netNatFaults,
  nodePortFaults,
  windowsFlowFaults,
  windowsHostFaults,
} from './windows-faults.js';

/** What faults are planted into. */
export interface Suite {
  readonly scenario: string;
  /** Values of axes that are not the usual ones. */
  readonly set?: ReadonlyMap<string, readonly string[]>;
  readonly faults: readonly Fault[];
  /** Plays the vectors for which this holds: every fault concerns some of them. */
  readonly only: (vector: TestVector) => boolean;
}

export const suites: readonly Suite[] = [
  { scenario: 'antrea/encap', faults: antreaFaults, only: () => true },
  {
    scenario: 'antrea/encap',
    faults: programFaults,
    only: ({ id }) => /^(ping\/p1\/p4|spoof-ip\/p1)$/.test(id),
  },
  {
    scenario: 'antrea/services-antrea-proxy',
    faults: groupFaults,
    only: ({ id }) => id.startsWith('no-service/'),
  },
  {
    scenario: 'antrea/network-policy',
    faults: policyFaults,
    only: ({ id }) => /^(tcp-(9|80|8080)\/|wrong-ip\/notclient\/nginx1$)/.test(id),
  },
  {
    scenario: 'antrea/services-antrea-proxy',
    faults: serviceFaults,
    only: ({ id }) =>
      /^(kept|spread|service)\/(asker1|web1)\/default\/(web:http|lonely|sticky)$/.test(id),
  },
  {
    scenario: 'antrea/services-kube-proxy',
    faults: egressFaults,
    only: ({ id }) => /^service\/(picky|web1)\/default\/lonely$/.test(id),
  },
  {
    scenario: 'antrea/no-encap',
    faults: noEncapFaults,
    only: ({ id }) => /^ping\/asker1\/(x1|web2)$/.test(id),
  },
  {
    scenario: 'antrea/windows-service-traffic',
    faults: windowsHostFaults,
    only: ({ id }) => id.startsWith('udp/'),
  },
  {
    scenario: 'antrea/windows-pod-to-pod',
    set: new Map([
      ['mode', ['noEncap']],
      ['nodes', ['WW']],
    ]),
    faults: [...windowsFlowFaults, ...endpointFaults],
    only: ({ id }) => id.startsWith('ping/'),
  },
  {
    scenario: 'antrea/windows-external-traffic',
    faults: netNatFaults,
    only: ({ id }) => /^(ping|later)\/p1\/x1$/.test(id),
  },
  {
    scenario: 'antrea/windows-node-ports',
    faults: nodePortFaults,
    only: ({ id }) => id.endsWith('/x1/same-node'),
  },
  {
    scenario: 'antrea/windows-hybrid',
    set: new Map([['nodes', ['W/W']]]),
    faults: leftoverRouteFaults,
    only: ({ id }) => id.startsWith('gone/'),
  },
  {
    scenario: 'contrail/isolation',
    set: new Map([['hypervisors', ['1']]]),
    faults: contrailFaults,
    only: ({ id }) => /^ping\/(red1|waits1)\//.test(id),
  },
  { scenario: 'contrail/containers', faults: contrailRemovalFaults, only: () => true },
  { scenario: 'contrail/missed-calls', faults: contrailMissedFaults, only: () => true },
  { scenario: 'contrail/crashes', faults: contrailCrashFaults, only: () => true },
  {
    scenario: 'ovn-cni/lifecycle',
    set: new Map([['nodes', ['2']]]),
    faults: ovnCniPortFaults,
    only: ({ id }) => id === 'ping/p1/p3',
  },
  {
    scenario: 'ovn-cni/policies',
    faults: ovnCniPolicyFaults,
    only: ({ id }) =>
      id === 'udp/client/front.shop' ||
      /^tcp-5432\/(front\.shop|visitor\.open|client)\/db\.shop$/.test(id),
  },
  {
    scenario: 'ovn-cni/races',
    set: new Map([['order', ['prabns']]]),
    faults: ovnCniDeletionFaults,
    only: ({ id }) => id.startsWith('r-happened/'),
  },
  { scenario: 'ovn/first', faults: ovnFaults, only: ({ id }) => id === 'ping/p1/p3' },
  {
    scenario: 'ovn-kubernetes/network-policy',
    set: new Map([['zones', ['one']]]),
    faults: aclFaults,
    only: ({ id }) => id === 'tcp-8080/front.shop/db.shop',
  },
  {
    scenario: 'ovn-kubernetes/snat',
    set: new Map([['zones', ['a-node']]]),
    faults: egressIpFaults,
    only: ({ id }) => id === 'ping/p1/x1' || id === 'ping/p2/internet',
  },
  {
    scenario: 'ovn-kubernetes/services',
    set: new Map([['zones', ['one']]]),
    faults: ovnServiceFaults,
    only: ({ id }) =>
      /^(spread\/asker1\/default\/web|node-port\/x1\/n1\/default\/(web|near))$/.test(id),
  },
  {
    scenario: 'ovn-kubernetes/live-migration',
    set: new Map([['zones', ['one']]]),
    faults: migrationFaults,
    only: ({ id }) => migrationFaults.some(({ shownBy }) => shownBy === id),
  },
  {
    scenario: 'ovn-kubernetes/live-migration',
    set: new Map([
      ['zones', ['one']],
      ['family', ['dual']],
    ]),
    faults: ipv6MigrationFaults,
    only: ({ id }) => ipv6MigrationFaults.some(({ shownBy }) => shownBy === id),
  },
  {
    scenario: 'ovn-kubernetes/migration-orders',
    faults: hearingFaults,
    only: ({ id }) => hearingFaults.some(({ shownBy }) => shownBy === id),
  },
  {
    scenario: 'ovn-kubernetes/neighbours',
    set: new Map([
      ['family', ['ipv4']],
      ['zones', ['one']],
    ]),
    faults: neighbourFaults,
    // Without what is said before, nothing is learned.
    only: ({ id }) =>
      id.startsWith('1-unknown/') || neighbourFaults.some(({ shownBy }) => shownBy === id),
  },
  {
    scenario: 'ovn-kubernetes/neighbours',
    set: new Map([
      ['family', ['ipv6']],
      ['zones', ['one']],
    ]),
    faults: ipv6NeighbourFaults,
    only: ({ id }) =>
      id.startsWith('1-unknown/') || ipv6NeighbourFaults.some(({ shownBy }) => shownBy === id),
  },
  {
    scenario: 'ovn-kubernetes/waiting',
    set: new Map([
      ['family', ['ipv4']],
      ['zones', ['one']],
    ]),
    faults: waitingFaults,
    // Without the one that waits, none continues.
    only: ({ id }) => /^n1\/(1-waits|2-continues)\//.test(id),
  },
  {
    scenario: 'ovn-kubernetes/announcements',
    set: new Map([['family', ['ipv4']]]),
    faults: announcementFaults,
    only: ({ id }) => announcementFaults.some(({ shownBy }) => shownBy === id),
  },
];

/** Whether the self-test plays the vector of the scenario. */
export function isPlayed(scenario: string, vector: TestVector): boolean {
  return suites.some((suite) => suite.scenario === scenario && suite.only(vector));
}
