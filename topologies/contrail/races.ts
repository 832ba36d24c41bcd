/** The two orders of "agent can inject vifs before interface is attached to vswitch". */
import type { Sequence } from '../../harness/domain/timeline.js';
import {
  becomes,
  gone,
  injected,
  nativeDriver,
  pings,
  up,
  waiting,
  type Presence,
} from './container-life.js';
import type { ContrailCluster, Overlay } from './contrail-cluster.js';
import { contrailCluster } from './tenants.js';

/**
 * A container comes to h2 and goes again, twice: the second time it goes in the other order than it
 * came, so that what is left of it for a while is each half once.
 */
export function raceOf(
  first: 'interface' | 'add-port',
  overlay: Overlay,
): Sequence<ContrailCluster> {
  const place = { tenant: 'blue', network: 'front' };
  const cluster = contrailCluster(2, overlay, [
    { name: 'far', hypervisor: 'h1', ...place, address: 2 },
    { name: 'near', hypervisor: 'h2', ...place, address: 3 },
    { name: 'new', hypervisor: 'h2', ...place, address: 4, ...gone },
  ]);
  const between = first === 'interface' ? waiting : injected;
  const other = first === 'interface' ? injected : waiting;
  const course: readonly (readonly [string, Presence])[] = [
    ['1-half', between],
    ['2-whole', up],
    ['3-half-again', between],
    ['4-gone', gone],
    ['5-half-once-more', between],
    ['6-whole-once-more', up],
    ['7-the-other-half', other],
    ['8-gone-for-good', gone],
  ];
  let now = cluster;
  const steps = course.flatMap(([when, presence]) => {
    const change = becomes(now, whatHappens(presence), 'new', presence);
    now = change.cluster;
    const isThere = presence.adapter === 'connected';
    return [
      change.step,
      ...pings(now, when, ['far', 'near', ...(isThere ? ['new'] : [])]),
      ...(isThere ? [nativeDriver(now, when)] : []),
    ];
  });
  return { cluster, steps };
}

/** `new has an adapter, and no port`. */
function whatHappens({ adapter, port }: Presence): string {
  const [has, hasPort] = [adapter === 'connected', port === 'added'];
  return `new has ${has ? 'an adapter' : 'no adapter'} and ${hasPort ? 'a port' : 'no port'}`;
}
