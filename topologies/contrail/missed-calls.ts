/** What the plugin misses while it is away, and what the agent has lost: comparing shows it. */
import type { Sequence, SequenceStep } from '../../harness/domain/timeline.js';
import { becomes, gone, sends, up, waiting, type Presence } from './container-life.js';
import { inOneCourse, type ContrailCluster, type Overlay } from './contrail-cluster.js';
import type { EngineCall } from './engine-calls.js';
import { contrailCluster } from './tenants.js';

/**
 * A container is removed while h2 has no plugin; then h2's agent loses its ports. Each time the
 * next container that is run has the plugin compare, and all is as it should be.
 */
export function missedCalls(overlay: Overlay): Sequence<ContrailCluster> {
  const place = { tenant: 'blue', network: 'front' };
  const h2 = { hypervisor: 'h2', ...place };
  const cluster = contrailCluster(2, overlay, [
    { name: 'far', hypervisor: 'h1', ...place, address: 2 },
    { name: 'near', ...h2, address: 3 },
    { name: 'old', ...h2, address: 4 },
    { name: 'second', ...h2, address: 5, ...gone },
    { name: 'third', ...h2, address: 6, ...gone },
  ]);
  let now = cluster;
  const turn = (
    when: string,
    what: string,
    calls: readonly EngineCall[],
    promised: Readonly<Record<string, Presence>>,
  ) => {
    const change = becomes(now, what, calls, promised);
    now = change.cluster;
    return [change.step, ...asks(when, now)];
  };
  const hypervisor = 'h2';
  const starts: EngineCall = { kind: 'plugin starts', hypervisor };
  const ends: EngineCall = { kind: 'plugin ends', hypervisor };
  const steps = [
    ...asks('1-before', now),
    ...turn(
      '2-removed-meanwhile',
      'old is removed while h2 has no plugin',
      [ends, { kind: 'remove', container: 'old' }],
      { old: gone },
    ),
    ...turn(
      '3-compared',
      'the plugin is back, and second is run',
      [starts, { kind: 'run', container: 'second' }],
      { second: up },
    ),
    ...turn(
      '4-ports-lost',
      'the agent of h2 restarts without its ports',
      [{ kind: 'agent loses its ports', hypervisor }],
      { near: waiting, second: waiting },
    ),
    ...turn(
      '5-added-again',
      'the plugin restarts, and third is run',
      [ends, starts, { kind: 'run', container: 'third' }],
      { near: up, second: up, third: up },
    ),
  ];
  return inOneCourse({ cluster, steps });
}

/** From everybody who is there to everybody who is or was there. */
function asks(
  when: string,
  { containers }: ContrailCluster,
): readonly SequenceStep<ContrailCluster>[] {
  return containers
    .filter(({ adapter }) => adapter === 'connected')
    .flatMap(({ name: from }) =>
      containers
        .filter(({ name }) => name !== from)
        .map(({ name, ip }) =>
          sends(`${when}/ping/${from}/${name}`, { kind: 'ping', from, to: ip }),
        ),
    );
}
