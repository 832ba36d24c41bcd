// Goal: what leaves the cluster waits for the gateway router of its node, and in its own family:
// who is known by ARP is not known by neighbour discovery. Method: the promises of one dual-stack
// network, whose gateway routers know hosts outside by either address, by both, and by none.
import t from 'tap';
import { ovnKubernetesCluster } from '../../../topologies/ovn-kubernetes/ovn-kubernetes-cluster.js';
import type { OvnKubernetesTopology } from '../../../topologies/ovn-kubernetes/ovn-kubernetes-topology.js';
import { withIpv6 } from '../../../topologies/ovn-kubernetes/with-ipv6.js';
import { intentOf } from '../intent.js';
import { ovnKubernetesPromises } from './promises.js';

const size = { nodes: 2, podsPerNode: 2, externalHosts: 1 };
const network = withIpv6(ovnKubernetesCluster(size, 'one'), 'dual');
const ipv4 = '172.30.255.1';
const ipv6 = network.ipv6?.[ipv4] ?? '';

/** What a ping of p1, which is on n1, leads to. */
function promised(to: string, knownOutside: Readonly<Record<string, readonly string[]>>) {
  const asked: OvnKubernetesTopology = { ...network, knownOutside };
  return intentOf(asked, { kind: 'ping', from: 'p1', to }, ovnKubernetesPromises);
}

const out = { kind: 'round-trip', to: 'x1' };
const waits = { kind: 'denied', why: 'the gateway router of n1 asks for x1 first' };

void t.test('each family is known by itself', async (t) => {
  const cases = [
    [[], waits, waits],
    [[ipv4], out, waits],
    [[ipv6], waits, out],
    [[ipv4, ipv6], out, out],
  ] as const;
  for (const [known, overIpv4, overIpv6] of cases) {
    const label = `known: ${known.join(' ')}`;
    t.match(promised(ipv4, { n1: known }), overIpv4, label);
    t.match(promised(ipv6, { n1: known }), overIpv6, label);
  }
});

void t.test('and by the gateway router of the node that the pod is on', async (t) => {
  t.match(promised(ipv6, { n2: [ipv4, ipv6] }), waits);
  t.match(promised(ipv4, { n2: [ipv4, ipv6] }), waits);
});

void t.test('where nothing is learned, everybody is known', async (t) => {
  t.match(intentOf(network, { kind: 'ping', from: 'p1', to: ipv6 }, ovnKubernetesPromises), out);
});
