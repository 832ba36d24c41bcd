/** A timeline by hand: Services and their endpoints come and go under traffic. */
import { assert } from '../../harness/base/errors/errors.js';
import type { Cluster } from '../../harness/kube/objects.js';
import type { Sequence } from '../../harness/domain/timeline.js';
import type { TunnelType } from '../../harness/domain/plan/port-plan.js';
import { manifestsOf, type Manifest } from '../changing-cluster.js';
import { antreaClusterOf } from './read-antrea-cluster.js';
import { sequenceOf } from '../cluster-events.js';
import { type ClusterEvent, type TrafficEvent } from '../cluster-event.js';

const node = (name: string) => one(`{ apiVersion: v1, kind: Node, metadata: { name: ${name} } }`);
const pod = (name: string, app: string, on: string) =>
  one(
    `{ apiVersion: v1, kind: Pod, metadata: { name: ${name}, labels: { app: ${app} } }, spec: ` +
      `{ nodeName: ${on}, containers: [{ name: main, ports: [{ containerPort: 7 }] }] } }`,
  );
const service = (name: string, last: number, port: number, more = '') =>
  one(
    `{ apiVersion: v1, kind: Service, metadata: { name: ${name} }, spec: { clusterIP: ` +
      `10.96.0.${last}, selector: { app: ${name} }, ports: [{ port: ${port}, targetPort: 7 ` +
      `}]${more} } }`,
  );

const first = [
  node('n1'),
  node('n2'),
  pod('c1', 'client', 'n1'),
  pod('c2', 'client', 'n2'),
  pod('w1', 'web', 'n1'),
  pod('s1', 'shop', 'n2'),
  service('web', 10, 80),
  service('shop', 11, 80, ', sessionAffinity: ClientIP'),
];

/** So many connections that each of two endpoints is met; else a few have to do. */
const enough = 21;
const few = 3;

/** An endpoint that is none any more runs on under another label. */
const resting = (name: string, on: string) => pod(name, 'resting', on);

const events: readonly ClusterEvent[] = [
  opens('1-at-first', 'c1', 'web'),
  asks('1-at-first', 'c2', 'web'),
  asks('1-at-first', 'c1', 'shop'),
  { kind: 'apply', manifest: pod('w2', 'web', 'n2') },
  asks('2-endpoint-comes', 'c1', 'web', 80, enough),
  asks('2-endpoint-comes', 'c2', 'web'),
  asks('2-endpoint-comes', 'n1', 'web'),
  talks('2-endpoint-comes', '1-at-first'),
  { kind: 'apply', manifest: resting('w1', 'n1') },
  // The connection stands to an endpoint that is gone; new ones go to the other.
  ...both('3-endpoint-goes'),
  talks('3-endpoint-goes', '1-at-first'),
  opens('3-endpoint-goes', 'c1', 'web'),
  { kind: 'apply', manifest: pod('s2', 'shop', 'n1') },
  asks('4-shop-grows', 'c1', 'shop'),
  asks('4-shop-grows', 'c2', 'shop'),
  { kind: 'apply', manifest: resting('s1', 'n2') },
  asks('5-kept-endpoint-goes', 'c1', 'shop'),
  asks('5-kept-endpoint-goes', 'c2', 'shop'),
  { kind: 'apply', manifest: pod('s1', 'shop', 'n2') },
  asks('6-and-comes-back', 'c1', 'shop'),
  asks('6-and-comes-back', 'c2', 'shop'),
  { kind: 'apply', manifest: pod('w1', 'web', 'n1') },
  ...both('7-endpoint-comes-back'),
  talks('7-endpoint-comes-back', '3-endpoint-goes'),
  {
    kind: 'not all hear',
    change: { kind: 'apply', manifest: pod('w3', 'web', 'n2') },
    late: [
      {
        node: 'n1',
        before: [...both('8-n1-has-not-heard'), talks('8-n1-has-not-heard', '3-endpoint-goes')],
      },
    ],
  },
  ...both('9-n1-has-heard'),
  {
    kind: 'agent is gone',
    node: 'n1',
    meanwhile: [
      { kind: 'delete', object: pod('w3', 'web', 'n2') },
      asks('10-agent-is-gone', 'c2', 'web'),
      asks('10-agent-is-gone', 'c1', 'shop'),
      talks('10-agent-is-gone', '3-endpoint-goes'),
    ],
  },
  ...both('11-agent-is-back'),
  talks('11-agent-is-back', '3-endpoint-goes'),
  {
    kind: 'agent restarts',
    node: 'n1',
    meanwhile: [
      ...both('12-agent-restarts'),
      asks('12-agent-restarts', 'c1', 'shop'),
      talks('12-agent-restarts', '3-endpoint-goes'),
    ],
  },
  ...both('13-agent-has-swept'),
  asks('13-agent-has-swept', 'c1', 'shop'),
  talks('13-agent-has-swept', '3-endpoint-goes'),
  { kind: 'apply', manifest: service('web', 10, 81) },
  asks('14-another-port', 'c1', 'web', 81),
  asks('14-another-port', 'c2', 'web', 81),
  asks('14-another-port', 'c2', 'web'),
  opens('14-another-port', 'c2', 'web', 81),
  talks('14-another-port', '3-endpoint-goes'),
  {
    kind: 'switch restarts',
    node: 'n1',
    meanwhile: [
      asks('15-switch-restarts', 'c1', 'shop'),
      probes('15-switch-restarts', 'c2', 'shop', 80),
      probes('15-switch-restarts', 'c2', 'web', 81),
    ],
  },
  asks('16-switch-is-programmed', 'c1', 'web', 81),
  asks('16-switch-is-programmed', 'c1', 'shop'),
  talks('16-switch-is-programmed', '14-another-port'),
  { kind: 'delete', object: pod('w1', 'web', 'n1') },
  asks('17-endpoints-go', 'c1', 'web', 81),
  { kind: 'delete', object: pod('w2', 'web', 'n2') },
  asks('18-the-last-goes', 'c1', 'web', 81),
  asks('18-the-last-goes', 'c2', 'web', 81),
  asks('18-the-last-goes', 'n2', 'web', 81),
  { kind: 'delete', object: service('shop', 11, 80) },
  asks('19-service-goes', 'c1', 'shop'),
  asks('19-service-goes', 'c2', 'shop'),
  { kind: 'apply', manifest: service('shop', 12, 80, ', sessionAffinity: ClientIP') },
  asks('20-and-comes-elsewhere', 'c1', 'shop'),
  asks('20-and-comes-elsewhere', 'c2', 'shop'),
];

/**
 * Two Services of two nodes, whose endpoints, ports and addresses change; of the second, clients
 * keep their endpoint.
 */
export function servicesComeAndGo(tunnel: TunnelType): Sequence<Cluster> {
  return sequenceOf(antreaClusterOf(first, { name: 'service-changes', tunnel }), events);
}

/** Clients of both nodes. */
function both(when: string): readonly TrafficEvent[] {
  return [asks(when, 'c1', 'web'), asks(when, 'c2', 'web')];
}

function asks(when: string, from: string, to: string, port = 80, calls = few): TrafficEvent {
  return {
    kind: 'send',
    id: `${when}/calls/${from}/${to}:${port}`,
    from,
    to: `Service ${to}`,
    service: { protocol: 'TCP', port, calls },
  };
}

/** One connection; it may be unspecified whether it comes to an endpoint that can be reached. */
function probes(when: string, from: string, to: string, port: number): TrafficEvent {
  return {
    kind: 'send',
    id: `${when}/new/${from}/${to}:${port}`,
    from,
    to: `Service ${to}`,
    service: { protocol: 'TCP', port },
  };
}

function opens(when: string, from: string, to: string, port = 80): TrafficEvent {
  return { kind: 'open', id: `${when}/open/${from}/${to}`, from, to: `Service ${to}`, port };
}

/** By the connection that was opened then. */
function talks(when: string, since: string): TrafficEvent {
  const [from, to] = since === '14-another-port' ? ['c2', 'web'] : ['c1', 'web'];
  return {
    kind: 'talk',
    id: `${when}/standing/${from}/${to}${since === '1-at-first' ? '' : `-since-${since}`}`,
    connection: `${since}/open/${from}/${to}`,
  };
}

function one(text: string): Manifest {
  const [manifest, ...others] = manifestsOf(text);
  assert(manifest !== undefined && others.length === 0, 'a text of one manifest');
  return manifest;
}
