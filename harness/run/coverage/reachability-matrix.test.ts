// Goal: the matrices of a report say of each cell what was promised and what was seen, Services
// that nobody asks are named, and all reports count promises alike. Method: small runs on a
// stand-in of the switches, and cells written down by hand.
import t from 'tap';
import { observedIn } from '../../compare/observed.js';
import { countPromises, promiseKinds } from '../../domain/promise-kind.js';
import servicesKubeProxy from '../../../scenarios/antrea/services-kube-proxy.js';
import { matricesOf } from './reachability-matrix.js';
import { serviceCoverage } from './service-coverage.js';

const asked = (id: string, kind: string, observed?: 'answered' | 'refused' | 'nothing') => ({
  id,
  stimulus: { from: id.split('/')[1] ?? '' },
  intent: { kind },
  ...(observed === undefined ? {} : { observed: { kind: observed, by: [] } }),
});

void t.test('a letter a cell, a blank where no vector asks', (t) => {
  const vectors = [
    asked('tcp-80/p1/p2', 'round-trip', 'answered'),
    asked('tcp-80/p1/n1/host', 'denied', 'nothing'),
    asked('tcp-80/p2/p1', 'refused', 'refused'),
    asked('icmp/p1/p2', 'either'),
    asked('icmp/p1/p3', 'contradicted', 'answered'),
    asked('icmp/p1/p4', 'unknown'),
    { ...asked('frame/p1/p2', 'denied'), stimulus: { from: 'p9' } },
    asked('gone/p1', 'denied'),
  ];
  t.same(matricesOf(vectors, 'played'), [
    {
      service: 'tcp-80',
      sources: ['p1', 'p2'],
      destinations: ['p2', 'n1/host', 'p1'],
      promised: ['+- ', '  r'],
      observed: ['+- ', '  r'],
    },
    {
      service: 'icmp',
      sources: ['p1'],
      destinations: ['p2', 'p3', 'p4'],
      promised: ['~!?'],
      observed: ['?+?'],
    },
  ]);
  t.same(matricesOf(vectors.slice(0, 1), 'not played'), [
    { service: 'tcp-80', sources: ['p1'], destinations: ['p2'], promised: ['+'] },
  ]);
  t.end();
});

void t.test('promises are counted in the same words everywhere', (t) => {
  const kinds = [
    'round-trip',
    'resolves',
    'delivered',
    'balanced',
    'refused',
    'rejected',
    'abandoned',
    'denied',
    'blocked',
    'either',
    'contradicted',
    'unknown',
  ];
  t.equal(
    countPromises(kinds.map((kind) => ({ kind }))),
    '4 must pass, 3 must be refused, 2 must not pass, 1 may pass, 1 known to diverge, 1 ' +
      'nothing promised',
  );
  t.equal(countPromises([{ kind: 'refused' }]), 'must be refused');
  t.equal(promiseKinds.length, 7);
  t.end();
});

void t.test('what was observed: who got it, and what the sender heard', (t) => {
  const ping = { kind: 'ping', from: 'p1', to: '10.0.0.2' } as const;
  const at = { timeUs: 1 };
  const resolved = { ...at, host: 'p1', kind: 'resolved', ip: '10.0.0.2', mac: '' } as const;
  const got = {
    ...at,
    host: 'p2',
    kind: 'received',
    what: 'echo-request',
    src: '10.0.0.1',
    dst: '10.0.0.2',
    ttl: 64,
  } as const;
  t.same(observedIn(ping, [resolved, got, { ...got, host: 'p1', what: 'echo-reply' }]), {
    kind: 'answered',
    by: ['p2'],
  });
  t.same(observedIn(ping, [resolved, got]), { kind: 'delivered', by: ['p2'] });
  t.same(observedIn(ping, [resolved]), { kind: 'nothing', by: [] }, 'a neighbour is no answer');
  t.same(observedIn({ kind: 'arp', from: 'p1', target: '10.0.0.2' }, [resolved]), {
    kind: 'answered',
    by: [],
  });
  t.same(
    observedIn(ping, [
      { ...at, host: 'p2', kind: 'dropped', why: '', src: '', dst: '' },
      { ...at, host: 'p1', kind: 'refused', peer: '10.0.0.2' },
    ]),
    { kind: 'refused', by: ['p2'] },
  );
  t.same(
    observedIn(ping, [{ ...at, host: 'p1', kind: 'unreachable', peer: '10.0.0.2', why: '' }]),
    { kind: 'rejected', by: [] },
  );
  t.end();
});

void t.test('Services that no vector sends to', (t) => {
  const cluster = servicesKubeProxy.topology({ tunnel: 'geneve' });
  const stimuli = servicesKubeProxy.vectors(cluster).map(({ stimulus }) => stimulus);
  const all = serviceCoverage(cluster, stimuli);
  t.same(
    all?.notAsked.filter(({ why }) => why === 'no vector sends to it'),
    [],
  );
  const without = serviceCoverage(
    cluster,
    stimuli.filter((stimulus) => !('port' in stimulus && stimulus.port === 80)),
  );
  t.ok((without?.notAsked.length ?? 0) > (all?.notAsked.length ?? 0));
  t.match(serviceCoverage(cluster, [])?.notAsked[0], {
    name: /^default\//,
    why: 'no vector sends to it',
  });
  t.equal(serviceCoverage(cluster, [])?.notAsked.length, all?.count);
  t.end();
});
