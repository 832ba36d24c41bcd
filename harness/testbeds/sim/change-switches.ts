/** Changes of a running node's switches: those that a reset takes back, and those that stay. */
import { assertNever } from '../../base/errors/errors.js';
import type { Reconfiguration, SwitchStep } from '../../domain/switching.js';
import { attach, detach, setPlannedNeighbours } from './configure/change-node.js';
import type { NodeInstruments } from './node-instruments.js';

/**
 * A change of flows, groups, ports or connections. Megaflows follow it only some time after: unless
 * the cache is purged, packets meet what was before.
 */
export async function changeSwitches(
  node: NodeInstruments,
  change: () => Promise<void>,
): Promise<SwitchStep> {
  const { programs, quiesce, flowCounters, traffic, neighbours } = node;
  node.touched = 'yes';
  await (programs.isVolatile() ? quiesce.now() : flowCounters.purge());
  await node.vswitch.whileAlive(change());
  node.learnWatch.forget();
  await quiesce.afterDeletion();
  await quiesce.now();
  await flowCounters.changed();
  await neighbours.quiesce();
  await traffic.quiet();
  return traffic.take();
}

/** A change that no reset takes back. */
export async function changePermanently<T>(
  node: NodeInstruments,
  change: () => Promise<T>,
): Promise<T> {
  node.touched = 'yes';
  await node.quiesce.now();
  const changed = await node.vswitch.whileAlive(change());
  node.programs.discardSaved();
  node.learnWatch.forget();
  await node.vswitch.vswitchd.unixctl.call('revalidator/purge');
  await node.neighbours.quiesce();
  return changed;
}

/** A change of ports or neighbours while the daemons run on. */
export type PortChange = Exclude<
  Reconfiguration,
  { readonly kind: 'join' | 'leave' | 'restart' | 'programmed' }
>;

export async function changePorts(node: NodeInstruments, change: PortChange): Promise<void> {
  switch (change.kind) {
    case 'attach':
      node.plan = await attach(node.plan, change, node);
      return;
    case 'detach':
      node.plan = await detach(node.plan, change, node);
      return;
    case 'neighbours':
      node.plan = await setPlannedNeighbours(node.plan, change, node);
      return;
    default:
      assertNever(change);
  }
}
