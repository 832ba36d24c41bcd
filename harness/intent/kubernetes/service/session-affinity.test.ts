// Goal: what L0 cannot know of Services over time it refuses by name, and what clients
// keep it takes from what was seen. Method: small courses of one Service with one endpoint on the
// other node, step by step.
import t from 'tap';
import { antreaPromises } from '../../antrea/promises.js';
import { apply, manifestsOf, remove } from '../../../../topologies/changing-cluster.js';
import { antreaClusterOf } from '../../../../topologies/antrea/read-antrea-cluster.js';
import type { HostNote } from '../../../domain/observation.js';
import type { Stimulus } from '../../../domain/test-vector.js';
import {
  initialPromiseState,
  afterEvent,
  type PromiseState,
} from '../../over-time/promise-state.js';
import { promisedIntent } from '../../over-time/promised-intent.js';
import { afterStimulus } from '../../over-time/promise-after-stimulus.js';

const pod = (name: string, node: string, app = name) =>
  `{ apiVersion: v1, kind: Pod, metadata: { name: ${name}, labels: { app: ${app} } }, spec: { ` +
  `nodeName: ${node} } }\n---\n`;
const service = (affinity: string) =>
  '{ apiVersion: v1, kind: Service, metadata: { name: web }, spec: { clusterIP: 10.96.0.10, ' +
  `selector: { app: web }, ports: [{ port: 80, targetPort: 7 }]${affinity} } }\n---\n`;
const nodes =
  '{ apiVersion: v1, kind: Node, metadata: { name: n1 } }\n---\n{ apiVersion: v1, kind: Node, ' +
  'metadata: { name: n2 } }\n---\n';
const first = (affinity = ', sessionAffinity: ClientIP') =>
  antreaClusterOf(
    manifestsOf(nodes + pod('p', 'n1') + pod('w1', 'n2', 'web') + service(affinity)),
    {
      name: 'x',
      tunnel: 'geneve',
    },
  );
const open: Stimulus = { kind: 'open', from: 'p', to: '10.96.0.10', port: 80, connection: 'k' };
const talk: Stimulus = { ...open, kind: 'talk' };
const probe: Stimulus = { kind: 'probe', from: 'p', to: '10.96.0.10', port: 80 };
const answeredBy = (host: string): readonly HostNote[] => [
  { timeUs: 1, host: 'p', kind: 'connected', as: 'opener', peer: '10.96.0.10' },
  { timeUs: 1, host, kind: 'connected', as: 'answerer', peer: '10.10.1.2' },
];
const played = (course: PromiseState, stimulus: Stimulus, host: string) =>
  afterStimulus(course, stimulus, promisedIntent(course, stimulus), answeredBy(host));
const becoming = (course: PromiseState, cluster: PromiseState['agentViews']['cluster']) =>
  afterEvent(course, { kind: 'cluster', what: 'it changes', cluster });
const said = (course: PromiseState, stimulus: Stimulus) => {
  const intent = promisedIntent(course, stimulus);
  return intent.kind === 'balanced'
    ? `${intent.answerers.map(({ to }) => to).join()}${intent.lost === undefined ? '' : ', or lost'}`
    : `${intent.kind}: ${'why' in intent ? intent.why : ''}`;
};

void t.test('what clients keep', async (t) => {
  const two = apply(first(), manifestsOf(pod('w2', 'n1', 'web')));
  const kept = becoming(
    played(initialPromiseState(first().cluster, antreaPromises), probe, 'w1'),
    two.cluster,
  );
  t.equal(said(kept, probe), 'w1');
  t.equal(said(kept, { ...probe, from: 'w2' }), 'w1,w2', 'another client does not');
  t.equal(said(afterEvent(kept, { kind: 'agent restarts', node: 'n1' }), probe), 'w1,w2');
  t.equal(
    said(becoming(kept, apply(two, manifestsOf(service(''))).cluster), probe),
    'w1,w2',
    'once the Service does not ask for it any more',
  );
  t.equal(
    said(afterEvent(kept, { kind: 'agent restarts', node: 'n2' }), probe),
    'w1',
    'of the other node',
  );
  t.equal(
    said(
      afterEvent(afterEvent(kept, { kind: 'switch restarts', node: 'n1' }), {
        kind: 'switch is programmed',
        node: 'n1',
      }),
      probe,
    ),
    'w1,w2',
  );
  t.equal(
    said(afterEvent(kept, { kind: 'switch restarts', node: 'n2' }), probe),
    'denied: p keeps w1: the switch of n2 has no flows',
  );
  t.equal(
    said(
      becoming(
        becoming(kept, remove(two, { kind: 'Pod', metadata: { name: 'w1' } }).cluster),
        two.cluster,
      ),
      probe,
    ),
    'w1,w2',
    'what was gone for a while is not kept',
  );
  for (const affinity of [
    '',
    ', sessionAffinity: ClientIP, sessionAffinityConfig: { clientIP: { timeoutSeconds: 2 } }',
  ]) {
    const [one, more] = [
      first(affinity),
      apply(first(affinity), manifestsOf(pod('w2', 'n1', 'web'))),
    ];
    t.equal(
      said(
        becoming(
          played(initialPromiseState(one.cluster, antreaPromises), probe, 'w1'),
          more.cluster,
        ),
        probe,
      ),
      'w1,w2',
      `with "${affinity}"`,
    );
  }
});

void t.test('connections that stand', async (t) => {
  const opened = played(initialPromiseState(first().cluster, antreaPromises), open, 'w1');
  t.equal(said(opened, talk), 'w1');
  t.equal(
    said(
      afterStimulus(
        initialPromiseState(first().cluster, antreaPromises),
        open,
        promisedIntent(initialPromiseState(first().cluster, antreaPromises), open),
      ),
      talk,
    ),
    'denied: no connection k stands',
    'nobody was seen to answer',
  );
  const resting = becoming(opened, apply(first(), manifestsOf(pod('w1', 'n2', 'resting'))).cluster);
  t.equal(said(resting, talk), 'w1, or lost');
  t.equal(said(becoming(resting, first().cluster), talk), 'w1, or lost', 'nor once it is back');
  const talked = (...notes: readonly HostNote[]) =>
    said(afterStimulus(resting, talk, promisedIntent(resting, talk), notes), talk);
  const heard: HostNote = {
    timeUs: 1,
    host: 'w1',
    kind: 'received',
    what: 'tcp',
    src: '10.10.1.2',
    dst: '10.10.2.2',
    ttl: 62,
  };
  t.equal(talked(heard), 'w1, or lost');
  t.equal(
    talked({ timeUs: 1, host: 'p', kind: 'timed-out', peer: '10.96.0.10' }),
    'denied: no connection k stands',
    'its opener has given it up',
  );
  t.equal(
    said(afterEvent(opened, { kind: 'switch restarts', node: 'n2' }), talk),
    'denied: the switch of n2 has no flows',
  );
  t.equal(
    said(
      afterEvent(afterEvent(opened, { kind: 'switch restarts', node: 'n2' }), {
        kind: 'switch is programmed',
        node: 'n2',
      }),
      talk,
    ),
    'w1',
  );
  t.throws(
    () =>
      promisedIntent(
        afterEvent(afterEvent(opened, { kind: 'switch restarts', node: 'n1' }), {
          kind: 'switch is programmed',
          node: 'n1',
        }),
        talk,
      ),
    {
      name: 'Unsupported',
      message: /connection of p to 10\.96\.0\.10 that the switch of n1 has forgotten/,
    },
  );
  const gone = remove(first(), { kind: 'Pod', metadata: { name: 'w1' } });
  t.equal(said(becoming(opened, gone.cluster), talk), 'denied: w1 is gone');
  t.throws(
    () =>
      promisedIntent(
        becoming(opened, apply(gone, manifestsOf(pod('w9', 'n2', 'other'))).cluster),
        talk,
      ),
    { name: 'Unsupported', message: /whose other end is somebody else/ },
  );
});

void t.test('with stale agents', async (t) => {
  const two = apply(first(''), manifestsOf(pod('w2', 'n1', 'web')));
  const deaf = (node: string) =>
    afterEvent(initialPromiseState(first('').cluster, antreaPromises), {
      kind: 'cluster',
      what: 'an endpoint comes',
      cluster: two.cluster,
      staleAgents: [node],
    });
  t.equal(said(deaf('n1'), probe), 'w1', 'what its own node has received');
  t.equal(said(deaf('n2'), { ...probe, from: 'w1' }), 'w1');
  t.equal(said(deaf('n2'), probe), 'w1,w2');
  const none = afterEvent(initialPromiseState(first('').cluster, antreaPromises), {
    kind: 'cluster',
    what: 'it goes',
    cluster: remove(first(''), { kind: 'Pod', metadata: { name: 'w1' } }).cluster,
    staleAgents: ['n1'],
  });
  t.equal(said(none, probe), 'denied: nobody holds 10.10.2.2');
});

void t.test('endpoints that are no pods', (t) => {
  const x1 = { name: 'x1', ip: '172.30.255.1', mac: '0a:00:ac:1e:ff:01' };
  const hosted =
    '{ apiVersion: v1, kind: Pod, metadata: { name: h, labels: { app: web } }, spec: { ' +
    'nodeName: n2, hostNetwork: true } }\n---\n';
  const out =
    '{ apiVersion: v1, kind: Service, metadata: { name: out }, spec: { clusterIP: 10.96.0.11, ' +
    'ports: [{ port: 80 }] } }\n---\n' +
    '{ apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: { name: out, labels: { ' +
    'kubernetes.io/service-name: out } }, addressType: IPv4, ports: [{ port: 7 }], endpoints: ' +
    '[{ addresses: [172.30.255.1] }] }\n---\n';
  const both = antreaClusterOf(manifestsOf(nodes + pod('p', 'n1') + hosted + service('') + out), {
    name: 'x',
    tunnel: 'geneve',
    externalHosts: [x1],
  });
  const isolated = apply(
    both,
    manifestsOf(
      '{ apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: { name: none }, ' +
        'spec: { podSelector: { matchLabels: { app: p } }, policyTypes: [Egress] } }',
    ),
  );
  const toOut: Stimulus = { ...probe, to: '10.96.0.11' };
  const deaf = (node: string) =>
    afterEvent(initialPromiseState(both.cluster, antreaPromises), {
      kind: 'cluster',
      what: 'a policy comes',
      cluster: isolated.cluster,
      staleAgents: [node],
    });
  t.strictSame(
    [said(deaf('n1'), probe), said(deaf('n1'), toOut)],
    ['n2', 'x1'],
    "by what the client's node has received",
  );
  t.strictSame([said(deaf('n2'), probe), said(deaf('n2'), toOut)], ['n2, or lost', 'x1, or lost']);
  const unprogrammed = afterEvent(initialPromiseState(both.cluster, antreaPromises), {
    kind: 'switch restarts',
    node: 'n2',
  });
  t.strictSame(
    [said(unprogrammed, probe), said(unprogrammed, toOut)],
    ['denied: the switch of n2 has no flows', 'x1'],
  );
  t.end();
});

void t.test('who asks by another address as well', (t) => {
  const ofNodes =
    '{ apiVersion: v1, kind: Service, metadata: { name: web }, spec: { type: NodePort, ' +
    'clusterIP: 10.96.0.10, selector: { app: web }, sessionAffinity: ClientIP, ports: [{ ' +
    'port: 80, targetPort: 7, nodePort: 30080 }] } }\n---\n';
  const two = antreaClusterOf(
    manifestsOf(nodes + pod('p', 'n1') + pod('w1', 'n2', 'web') + pod('w2', 'n1', 'web') + ofNodes),
    { name: 'x', tunnel: 'geneve' },
  );
  const kept = played(initialPromiseState(two.cluster, antreaPromises), probe, 'w1');
  const byNode = (from: string): Stimulus => ({ ...probe, from, to: '172.30.0.1', port: 30_080 });
  t.equal(said(kept, probe), 'w1');
  t.equal(said(played(kept, byNode('p'), 'w2'), probe), 'w1,w2');
  t.equal(said(played(kept, byNode('w2'), 'w2'), probe), 'w1', 'another client');
  t.end();
});
