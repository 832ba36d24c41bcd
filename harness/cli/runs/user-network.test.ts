// Goal: a scenario that cannot use a network of the user's own says so, and why, before anything
// comes up. Method: scenarios on networks that lack what each of them is about.
import t from 'tap';
import { InputError, Unsupported } from '../../base/errors/errors.js';
import changes from '../../../scenarios/antrea/changes.js';
import connections from '../../../scenarios/antrea/connections.js';
import externalHosts from '../../../scenarios/antrea/external-hosts.js';
import servicesKubeProxy from '../../../scenarios/antrea/services-kube-proxy.js';
import { networkPolicyCluster } from '../../../topologies/antrea/network-policy.js';
import type { Scenario } from '../../domain/scenario.js';
import { scenariosOnNetwork } from './user-network.js';

const given = {
  axis: 'manifests',
  path: 'my/folder',
  network: networkPolicyCluster('geneve'),
} as const;

void t.test('why each cannot', (t) => {
  const strange: Scenario = {
    ...connections,
    vectors: () => [{ id: 'ping/x9/a', stimulus: { kind: 'ping', from: 'x9', to: '10.10.1.2' } }],
  };
  const unplanned: Scenario = {
    ...connections,
    controlPlane: {
      ...connections.controlPlane,
      name: 'none',
      plan: () => {
        throw new Unsupported('no such thing');
      },
    },
  };
  for (const [scenario, why] of [
    [changes, /antrea\/changes cannot use it: it is a timeline of its own network/],
    [externalHosts, /antrea\/external-hosts cannot use it: it has nothing to send there/],
    [servicesKubeProxy, /antrea\/services-kube-proxy cannot use it: /],
    [strange, /its vector ping\/x9\/a is sent by "x9", which is not there/],
    [unplanned, /cannot use it: no such thing/],
  ] as const) {
    t.throws(() => scenariosOnNetwork([scenario], given, 'named'), {
      name: 'InputError',
      message: why,
    });
  }
  t.throws(
    () => scenariosOnNetwork([connections, externalHosts], given, 'named'),
    InputError,
    'each that was named',
  );
  t.end();
});

void t.test('among all, those that can are played there', (t) => {
  const [only, ...others] = scenariosOnNetwork([changes, externalHosts, connections], given, 'all');
  t.same(others, []);
  t.match(only, { name: 'antrea/connections', axes: { manifests: { default: ['folder'] } } });
  t.equal(only?.topology({}), given.network);
  t.throws(() => scenariosOnNetwork([changes], given, 'all'), InputError, 'none can');
  t.end();
});
