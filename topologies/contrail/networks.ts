/** Networks come to a hypervisor with their first container there, and go with their last. */
import type { Sequence } from '../../harness/domain/timeline.js';
import { becomes, gone, pings, sends, up } from './container-life.js';
import { podsOf } from '../../harness/domain/topology.js';
import { inOneCourse, type ContrailCluster, type Overlay } from './contrail-cluster.js';
import type { EngineCall } from './engine-calls.js';
import { contrailCluster } from './tenants.js';

/**
 * blue:front comes to h1 by one of its subnets, to h2 by the same and by the other; then another
 * network of blue, and one of red under the same name and with the same addresses.
 */
export function networksComeAndGo(overlay: Overlay): Sequence<ContrailCluster> {
  const front = { tenant: 'blue', network: 'front' };
  const cluster = contrailCluster(2, overlay, [
    { name: 'first', hypervisor: 'h1', ...front, address: 2 },
    { name: 'same', hypervisor: 'h2', ...front, address: 3, ...gone },
    { name: 'other', hypervisor: 'h2', ...front, subnet: 1, address: 2, ...gone },
    { name: 'back', hypervisor: 'h2', tenant: 'blue', network: 'back', address: 2, ...gone },
    { name: 'red', hypervisor: 'h2', tenant: 'red', network: 'front', address: 4, ...gone },
  ]);
  let now = cluster;
  const coming = ['same', 'other', 'back', 'red'].map((name) => ({ name, presence: up }));
  const going = ['same', 'other'].map((name) => ({ name, presence: gone }));
  const steps = [...coming, ...going].flatMap(({ name, presence }, index) => {
    const comes = presence === up;
    const call: EngineCall = { kind: comes ? 'run' : 'remove', container: name };
    const what = `${name} ${comes ? 'comes' : 'goes'}`;
    const change = becomes(now, what, [call], { [name]: presence });
    now = change.cluster;
    const when = `${index + 1}-${name}-${comes ? 'comes' : 'goes'}`;
    const there = podsOf(now).map(({ pod }) => pod.name);
    return [change.step, ...pings(now, when, there), ...throughGateway(now, when, there)];
  });
  return inOneCourse({ cluster, steps });
}

/** To the other subnet with a TTL that lasts for the gateway, and with one that does not. */
function throughGateway(
  { containers }: ContrailCluster,
  when: string,
  there: readonly string[],
): ReturnType<typeof pings> {
  const to = containers.find(({ name }) => name === 'other');
  if (to === undefined || !there.includes('first')) return [];
  return [1, 2].map((ttl) =>
    sends(`${when}/ttl-${ttl}/first/other`, { kind: 'ping', from: 'first', to: to.ip, ttl }),
  );
}
