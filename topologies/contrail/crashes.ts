/** What a network has of a container whose creation was cut off, and what recovery makes of it. */
import type { Sequence, SequenceStep } from '../../harness/domain/timeline.js';
import { becomes, gone, sends, up, waiting, type Presence } from './container-life.js';
import type { ContrailCluster, Overlay } from './contrail-cluster.js';
import { contrailCluster } from './tenants.js';

/** What is there after each step of the seed's drawing, "Container creation lifecycle". */
export const presenceAfter: readonly Presence[] = [
  ...Array.from({ length: 5 }, () => gone),
  // 6: HNS has made the interface; 7 and 8: the extension has seen it, and drops all of it.
  ...Array.from({ length: 5 }, () => waiting),
  // 11: the controller knows the port, and other hypervisors by it.
  ...Array.from({ length: 3 }, () => up),
];

/** For each step: what it leaves, a recovery, a retry that is whole; then the switch restarts. */
export function crashAfterEachStep(overlay: Overlay): Sequence<ContrailCluster> {
  const place = { tenant: 'blue', network: 'front' };
  const cluster = contrailCluster(2, overlay, [
    { name: 'far', hypervisor: 'h1', ...place, address: 2 },
    { name: 'near', hypervisor: 'h2', ...place, address: 3 },
    { name: 'new', hypervisor: 'h2', ...place, address: 4, ...gone },
  ]);
  let now = cluster;
  const turn = (what: string, presence: Presence): SequenceStep<ContrailCluster> => {
    const change = becomes(now, what, 'new', presence);
    now = change.cluster;
    return change.step;
  };
  const steps = presenceAfter.flatMap((presence, index) => {
    const step = index + 1;
    const when = `step-${step}`;
    return [
      turn(`the plugin ends after step ${step}`, presence),
      ...asks(`${when}/cut-off`, presence),
      turn('it recovers', gone),
      ...asks(`${when}/recovered`, gone),
      turn('the container is created again', up),
      ...asks(`${when}/retried`, up),
    ];
  });
  const restart: readonly SequenceStep<ContrailCluster>[] = [
    { kind: 'switch restarts', node: 'h2' },
    ...asks('switch-restarts', up),
    { kind: 'switch is programmed', node: 'h2' },
    ...asks('switch-is-programmed', up),
  ];
  return { cluster, steps: [...steps, ...restart] };
}

function asks(when: string, { adapter }: Presence): readonly SequenceStep<ContrailCluster>[] {
  const [far, near, fresh] = ['10.1.1.2', '10.1.1.3', '10.1.1.4'] as const;
  return [
    sends(`${when}/ping/far/new`, { kind: 'ping', from: 'far', to: fresh }),
    sends(`${when}/ping/near/new`, { kind: 'ping', from: 'near', to: fresh }),
    sends(`${when}/ping/near/far`, { kind: 'ping', from: 'near', to: far }),
    ...(adapter === 'connected'
      ? [sends(`${when}/ping/new/near`, { kind: 'ping', from: 'new', to: near })]
      : []),
  ];
}
