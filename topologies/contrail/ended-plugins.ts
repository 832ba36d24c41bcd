/** A plugin that ends in each step of its calls, and what packets meet before it is back. */
import type { Sequence, SequenceStep } from '../../harness/domain/timeline.js';
import { becomes, gone, sends, up, waiting, type Presence } from './container-life.js';
import { inOneCourse, type ContrailCluster, type Overlay } from './contrail-cluster.js';
import type { CreatingStep, EngineCall, RemovingStep } from './engine-calls.js';
import { contrailCluster } from './tenants.js';

/**
 * What the seed's "Container creation lifecycle" promises of a container once a step is done: 6 is
 * its interface, of which the extension drops all until 11 has the controller know its port.
 */
const promisedAfter: readonly (readonly [CreatingStep, Presence])[] = [
  [1, gone],
  [2, gone],
  [3, gone],
  [4, gone],
  [5, gone],
  [6, waiting],
  [7, waiting],
  [8, waiting],
  [9, waiting],
  [10, waiting],
  [11, up],
  [12, up],
  [13, up],
];

/** The same of its removal, in reverse order. */
const promisedAfterRemoving: readonly (readonly [RemovingStep, Presence])[] = [
  ['port deleted', waiting],
  ['endpoint deleted', gone],
  ['virtual-machine deleted', gone],
];

const container = 'new';

/**
 * For each step: what the plugin leaves when it ends there, its recovery, and a retry that is
 * whole; at last the switch restarts.
 */
export function endsAfterEachStep(overlay: Overlay): Sequence<ContrailCluster> {
  const place = { tenant: 'blue', network: 'front' };
  const cluster = contrailCluster(2, overlay, [
    { name: 'far', hypervisor: 'h1', ...place, address: 2 },
    { name: 'near', hypervisor: 'h2', ...place, address: 3 },
    { name: 'new', hypervisor: 'h2', ...place, address: 4, ...gone },
  ]);
  let now = cluster;
  const turn = (what: string, calls: readonly EngineCall[], presence: Presence, when: string) => {
    const change = becomes(now, what, calls, { new: presence });
    now = change.cluster;
    return [change.step, ...asks(when, presence)];
  };
  const killed: EngineCall = { kind: 'plugin is killed', container };
  const run: EngineCall = { kind: 'run', container };
  const made = promisedAfter.flatMap(([step, presence], index) => {
    const cutOff: EngineCall = { ...run, holdsAfter: step };
    const calls = [...(index === 0 ? [] : [{ kind: 'remove', container } as const]), cutOff];
    return [
      ...turn(`the plugin ends after step ${step}`, calls, presence, `step-${step}/cut-off`),
      ...turn('it recovers', [killed], gone, `step-${step}/recovered`),
      ...turn('the container is created again', [run], up, `step-${step}/retried`),
    ];
  });
  const removed = promisedAfterRemoving.flatMap(([step, presence]) => {
    const cutOff: EngineCall = { kind: 'remove', container, holdsAfter: step };
    const when = step.replaceAll(' ', '-');
    return [
      ...turn(`the plugin ends behind "${step}"`, [cutOff], presence, `${when}/cut-off`),
      ...turn('it recovers', [killed], gone, `${when}/recovered`),
      ...turn('the container is created again', [run], up, `${when}/retried`),
    ];
  });
  const restart: readonly SequenceStep<ContrailCluster>[] = [
    { kind: 'switch restarts', node: 'h2' },
    ...asks('switch-restarts', up),
    { kind: 'switch is programmed', node: 'h2' },
    ...asks('switch-is-programmed', up),
  ];
  return inOneCourse({ cluster, steps: [...made, ...removed, ...restart] });
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
