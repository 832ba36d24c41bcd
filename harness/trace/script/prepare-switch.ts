/**
 * A switch with the state that it is given. No daemon takes connections or learned addresses as
 * they are; so packets make them, through flows for that alone, as long ago as their ages and
 * timeouts say, and only then come the flows that the switch is about.
 */
import { concatBytes } from '../../packet/bytes/header-layout.js';
import { InputError, Unsupported } from '../../base/errors/errors.js';
import { macBytes } from '../../base/addresses/mac-and-ipv4.js';
import type { NodePlan } from '../../domain/plan/cluster-plan.js';
import type { BridgePlan } from '../../domain/plan/bridge-plan.js';
import type { SwitchCall } from '../../domain/switching.js';
import type { SwitchState } from '../../domain/switch-state.js';
import { printFlow } from '../../openflow/flows/flow.js';
import { parseBridgeFlows } from '../../openflow/bridge-program.js';
import type { DumpedSwitch } from '../../dumps/dumped-switch.js';
import type { InitialMac } from '../../dumps/initial-state.js';
import type { InitialState } from './script.js';
import { makeConnection, type StateSetup } from './make-connection.js';

export interface PreparedSwitch {
  /** To bring the switch up from. */
  readonly plan: NodePlan;
  /** To be applied before anything else; their outputs do not matter. */
  readonly calls: readonly SwitchCall[];
  /** The same for real switches, with flows as they were dumped. */
  readonly realCalls: readonly SwitchCall[];
}

/** @throws InputError with the line of what no packet can make. */
export function prepareSwitch(
  target: DumpedSwitch,
  { connections, macs }: InitialState,
): PreparedSwitch {
  const plan = withStaticMacs(target.plan, macs);
  const setups = [
    ...connections.map((connection, index) => makeConnection(target, connection, index)),
    ...macs.flatMap((entry) => (entry.ageS === 'static' ? [] : [makeMac(plan, entry, entry.ageS)])),
  ];
  if (setups.length === 0) return { plan, calls: [], realCalls: [] };
  const older = plan.bridges.find(({ openflow10Flows = [] }) => openflow10Flows.length > 0);
  if (older !== undefined)
    throw new Unsupported(
      `bridge ${older.name} has flows that only OpenFlow 1.0 takes: beside them, learned ` +
        'addresses and connections cannot be given to begin with',
    );
  const oldestFirst = setups.toSorted((a, b) => b.agoS - a.agoS);
  const calls = oldestFirst.flatMap(({ port, frames, agoS }, index): readonly SwitchCall[] => {
    const seconds = agoS - (oldestFirst[index + 1]?.agoS ?? 0);
    return [
      ...frames.map(
        (frame) => ({ kind: 'receive', node: plan.node, port, frames: [frame] }) as const,
      ),
      ...(seconds > 0 ? [{ kind: 'advance', node: plan.node, ms: seconds * 1000 } as const] : []),
    ];
  });
  // An address in several VLANs is learned by one flow.
  const flowsOf = (bridge: BridgePlan) => [
    ...new Set(setups.filter((one) => one.bridge === bridge.name).flatMap(({ flows }) => flows)),
  ];
  const programs = (flowsOfBridge: (bridge: BridgePlan) => readonly string[]) =>
    plan.bridges.map(
      (bridge): SwitchCall => ({
        kind: 'change',
        node: plan.node,
        bridge: bridge.name,
        lines: ['flow delete', ...flowsOfBridge(bridge).map((flow) => `flow add ${flow}`)],
      }),
    );
  const read = (bridge: BridgePlan) => parseBridgeFlows(plan.node, bridge).map(printFlow);
  const dumped = (bridge: BridgePlan) =>
    plan.asDumped?.programs[bridge.name]?.flows ?? read(bridge);
  return {
    plan: {
      ...withoutDumpedFlows(plan),
      bridges: plan.bridges.map((bridge) => ({ ...bridge, flows: flowsOf(bridge) })),
    },
    calls: [...calls, ...programs(read)],
    realCalls: [...calls, ...programs(dumped)],
  };
}

/** They come when all else is there. */
function withoutDumpedFlows({ asDumped, ...plan }: NodePlan): NodePlan {
  if (asDumped === undefined) return plan;
  const programs = Object.entries(asDumped.programs).map(
    ([bridge, { flows: _, ...program }]) => [bridge, program] as const,
  );
  return { ...plan, asDumped: { ...asDumped, programs: Object.fromEntries(programs) } };
}

function withStaticMacs(plan: NodePlan, macs: readonly InitialMac[]): NodePlan {
  const staticOf = (name: string) =>
    macs
      .filter(({ bridge, ageS }) => bridge === name && ageS === 'static')
      .map(({ port, vlan, mac }) => ({ port, vlan, mac }));
  return {
    ...plan,
    bridges: plan.bridges.map((bridge) => {
      const staticMacs = staticOf(bridge.name);
      return staticMacs.length === 0 ? bridge : { ...bridge, staticMacs };
    }),
  };
}

/**
 * @throws InputError with the line of what is not there although its packets have passed: the
 *   bridge has other VLANs, or the line contradicts itself.
 */
export function checkInitialState({ connections, macs }: InitialState, state: SwitchState): void {
  const textOf = (direction: ReadonlyMap<string, string>) =>
    [...direction].map(([name, value]) => `${name}=${value}`).join(',');
  for (const { zone, original, timeoutS, file, line } of connections) {
    const made = state.connections.find(
      (one) => one.zone === zone && one.original === textOf(original),
    );
    if (made === undefined || (timeoutS !== undefined && made.timeoutS !== timeoutS))
      throw new InputError(
        'no packets make this connection: ' +
          (made === undefined
            ? 'it is not there afterwards'
            : `it has a timeout of ${made.timeoutS} then`),
        { file, line },
      );
  }
  for (const { bridge, port, vlan, mac, file, line } of macs) {
    const made = state.macs.some(
      (one) => one.bridge === bridge && one.port === port && one.vlan === vlan && one.mac === mac,
    );
    if (!made)
      throw new InputError(
        `bridge ${bridge} does not learn ${mac} in VLAN ${vlan} at ${port}: check the VLANs ` +
          'of the port',
        { file, line },
      );
  }
}

/** Untagged where the port itself says the VLAN; to its own address, so that it goes nowhere. */
function makeMac(
  { bridges }: NodePlan,
  { bridge, port, vlan, mac }: InitialMac,
  agoS: number,
): StateSetup {
  const settings = bridges
    .find(({ name }) => name === bridge)
    ?.ports.find(({ name }) => name === port)?.vlan;
  const isOwn = settings?.tag === vlan && settings.mode !== 'trunk';
  const [address, etherType] = [macBytes(mac), Uint8Array.of(0x88, 0xb5)];
  const tag = vlan === 0 || isOwn ? [] : [Uint8Array.of(0x81, 0, vlan >> 8, vlan & 0xff)];
  return {
    bridge,
    port,
    agoS,
    flows: [`priority=1,in_port="${port}",dl_src=${mac},actions=NORMAL`],
    frames: [concatBytes(address, address, ...tag, etherType, new Uint8Array(46))],
  };
}
