/**
 * A bridge as ovs-ofctl prints it, in every form that it has: versions of OpenFlow, names of ports
 * or numbers, statistics or none.
 */
import { Unsupported } from '../../base/errors/errors.js';
import type { BridgePlan } from '../../domain/plan/bridge-plan.js';
import type { NodePlan } from '../../domain/plan/cluster-plan.js';
import type { BridgeSources } from '../../dumps/dumped-bridge.js';
import type { OvsSwitches } from '../../testbeds/ovs-switches.js';
import { meters, tunnelOptions } from '../fuzz-network.js';

export interface DumpForm {
  readonly version: 'OpenFlow10' | 'OpenFlow13' | 'OpenFlow14' | 'OpenFlow15';
  /** Options of dump-flows beside the version. */
  readonly options: readonly string[];
}

export const dumpForms: readonly DumpForm[] = (
  ['OpenFlow10', 'OpenFlow13', 'OpenFlow14', 'OpenFlow15'] as const
).flatMap((version) =>
  [['--no-names'], ['--names'], ['--no-names', '--no-stats'], ['--names', '--no-stats']].map(
    (options) => ({ version, options }),
  ),
);

export function printForm({ version, options }: DumpForm): string {
  return ['-O', version, ...options].join(' ');
}

export const formsBridge = 'br0';
const ports = [1, 2, 3, 4, 5] as const;

/** One bridge with these flows and groups, and a port for each number that they name. */
export function formsPlan(flows: readonly string[], groups: readonly string[]): NodePlan {
  const bridge: BridgePlan = {
    name: formsBridge,
    mac: '02:00:00:00:00:01',
    flows,
    groups,
    meters,
    tunnelOptions,
    ports: ports.map((ofport) => ({ kind: 'endpoint', name: `p${ofport}`, ofport })),
  };
  return { node: 'switch', hosts: [], bridges: [bridge] };
}

/**
 * What the commands print of it; OpenFlow 1.0 has no meters. @throws Unsupported where ovs-ofctl
 * gives up.
 */
export async function dumpedAs(
  real: Pick<OvsSwitches, 'ofctl'>,
  { version, options }: DumpForm,
): Promise<BridgeSources> {
  const print = async (command: string, ...more: readonly string[]) => ({
    file: command,
    text: await real.ofctl('switch', formsBridge, command, ...more, '-O', version),
  });
  const flows = await print('dump-flows', ...options);
  if (/^[\da-f]{8}  /m.test(flows.text))
    throw new Unsupported(`ovs-ofctl cannot print these flows in ${version}`);
  return {
    bridge: formsBridge,
    flows,
    groups: await print('dump-groups', ...options.filter((option) => option !== '--no-stats')),
    ports: await print('show'),
    tunnelOptions: await print('dump-tlv-map'),
    ...(version === 'OpenFlow10' ? {} : { meters: await print('dump-meters') }),
  };
}
