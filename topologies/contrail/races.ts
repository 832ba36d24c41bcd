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
import { inOneCourse, type ContrailCluster, type Overlay } from './contrail-cluster.js';
import type { EngineCall } from './engine-calls.js';
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
  let now = cluster;
  const steps = courses[first].flatMap(([when, presence, call]) => {
    const change = becomes(now, whatHappens(presence), [call], { new: presence });
    now = change.cluster;
    const isThere = presence.adapter === 'connected';
    return [
      change.step,
      ...pings(now, when, ['far', 'near', ...(isThere ? ['new'] : [])]),
      ...(isThere ? [nativeDriver(now, when)] : []),
    ];
  });
  return inOneCourse({ cluster, steps });
}

const container = 'new';
const continues: EngineCall = { kind: 'continues', container };
const connected: EngineCall = { kind: 'run', container, holdsAfter: 9 };
const portDeleted: EngineCall = { kind: 'remove', container, holdsAfter: 'port deleted' };
const adapterLate: EngineCall = { kind: 'run', container, adapter: 'late' };
const adapterComes: EngineCall = { kind: 'adapter comes', container };
const adapterGoes: EngineCall = { kind: 'adapter goes', container };
const removed: EngineCall = { kind: 'remove', container };

const courses: Readonly<
  Record<
    'interface' | 'add-port',
    readonly (readonly [when: string, promised: Presence, call: EngineCall])[]
  >
> = {
  interface: [
    ['1-half', waiting, connected],
    ['2-whole', up, continues],
    ['3-half-again', waiting, portDeleted],
    ['4-gone', gone, continues],
    ['5-half-once-more', waiting, connected],
    ['6-whole-once-more', up, continues],
    ['7-the-other-half', injected, adapterGoes],
    ['8-gone-for-good', gone, removed],
  ],
  'add-port': [
    ['1-half', injected, adapterLate],
    ['2-whole', up, adapterComes],
    ['3-half-again', injected, adapterGoes],
    ['4-gone', gone, removed],
    ['5-half-once-more', injected, adapterLate],
    ['6-whole-once-more', up, adapterComes],
    ['7-the-other-half', waiting, portDeleted],
    ['8-gone-for-good', gone, continues],
  ],
};

/** `new has an adapter, and no port`. */
function whatHappens({ adapter, port }: Presence): string {
  const [has, hasPort] = [adapter === 'connected', port === 'added'];
  return `new has ${has ? 'an adapter' : 'no adapter'} and ${hasPort ? 'a port' : 'no port'}`;
}
