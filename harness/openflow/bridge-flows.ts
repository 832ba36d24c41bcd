/** The flows that a plan wants on one bridge. */
import type { BridgePlan } from '../nouns/plan.js';
import { parseFlow, type Flow } from './flow.js';
import { noNames } from './form.js';
import { reservedPorts, type PortNames } from './ports.js';

/**
 * Reads them with the bridge's own port names; blank lines and what follows # are left out.
 * @throws InputError that names the file the flows came from, or node and bridge, with line and column.
 */
export function parseBridgeFlows(node: string, bridge: BridgePlan): readonly Flow[] {
  const names = { ...noNames, ports: portNumbers(bridge) };
  const file = bridge.flowsFile ?? `flows of ${bridge.name} on ${node}`;
  return bridge.flows.flatMap((line, index) => {
    const text = line.replace(/#.*/, '');
    return text.trim() === '' ? [] : [parseFlow(text, names, { file, line: index + 1 })];
  });
}

/** OpenFlow numbers by name, of a bridge's ports and of LOCAL under the bridge's own name. */
export function portNumbers(bridge: BridgePlan): PortNames {
  return new Map([...bridge.ports.map((port) => [port.name, port.ofport] as const), [bridge.name, reservedPorts.LOCAL] as const]);
}
