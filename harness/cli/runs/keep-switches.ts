/**
 * `flowbed run --keep`: the switches stay up after the verdict, to be inspected with Open vSwitch's
 * own programs.
 */
import { watch } from 'node:fs/promises';
import type { ClusterPlan } from '../../domain/plan/cluster-plan.js';
import type { Image } from '../../ovs/process/image.js';
import { managementSocket, socketPath } from '../../ovs/workspace/socket-path.js';
import { nodeFolder } from '../../testbeds/sim/configure/folders.js';
import { transportsOf } from '../../testbeds/sim/configure/pipes.js';
import type { OvsSwitches } from '../../testbeds/ovs-switches.js';
import type { Context } from '../context.js';
import { onOneLine } from '../../base/text/visible.js';
import { lineToType } from '../../base/text/shell-line.js';

export interface KeptSwitches {
  /** The scenario and its axes. */
  readonly label: string;
  readonly plan: ClusterPlan;
  readonly sim: OvsSwitches;
}

/**
 * Prints commands that inspect each switch, and does not return: Ctrl-C ends the program, and
 * its teardown the switches.
 */
export async function keepSwitchesUp(
  context: Context,
  { label, plan, sim }: KeptSwitches,
  image: Image,
): Promise<never> {
  context.print(`\nkept: the switches of ${onOneLine(label)}, their clock stopped, until Ctrl-C`);
  for (const nodePlan of plan.nodes) {
    const { node, bridges } = nodePlan;
    context.print(`\n  ${onOneLine(node)}`);
    for (const { use, name, address } of transportsOf(nodePlan, nodeFolder(sim.dir, node)))
      context.print(`    ${use} by ${name}, which is ${address ?? 'a function'} here`);
    for (const line of inspectionCommands(
      nodeFolder(sim.dir, node),
      bridges.map(({ name }) => name),
      image,
    ))
      context.print(`    ${line}`);
  }
  // Whatever happens to the daemons, this keeps the program running.
  for await (const _ of watch(sim.dir)) continue;
  throw new Error('a watch without a signal does not end');
}

/**
 * The command lines that inspect the switch in `dir`: the flows of each bridge, its ports, its
 * database.
 */
function inspectionCommands(
  dir: string,
  bridges: readonly string[],
  image: Image,
): readonly string[] {
  return [
    ...bridges.map((bridge) => [
      ...image.command('ovs-ofctl'),
      '-O',
      'OpenFlow15',
      'dump-flows',
      `unix:${managementSocket(dir, bridge)}`,
    ]),
    [...image.command('ovs-appctl'), '-t', socketPath(dir, 'ovs-vswitchd.ctl'), 'dpif/show'],
    [...image.command('ovs-vsctl'), `--db=unix:${socketPath(dir, 'db.sock')}`, 'show'],
  ].map(lineToType);
}
