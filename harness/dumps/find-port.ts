import { InputError, unknownName } from '../base/errors/errors.js';
import type { BridgePlan } from '../domain/plan/bridge-plan.js';
import type { DumpedSwitch } from './dumped-switch.js';
import { reservedPorts } from '../openflow/syntax/ports.js';
import type { PortPlan } from '../domain/plan/port-plan.js';

export interface PortPlace {
  readonly bridge: BridgePlan;
  /** OpenFlow number. */
  readonly ofport: number;
}

/**
 * The port of that name, or of that number where only one bridge has it; any number, on the only
 * bridge, where nobody has listed ports.
 * @throws InputError naming the known ones.
 */
export function findPort({ plan: { bridges }, unlisted }: DumpedSwitch, port: string): PortPlace {
  const places: readonly {
    readonly bridge: BridgePlan;
    readonly name: string;
    readonly ofport: number;
  }[] = bridges.flatMap((bridge) => [
    { bridge, name: bridge.name, ofport: reservedPorts.LOCAL },
    ...bridge.ports.map(({ name, ofport }) => ({ bridge, name, ofport })),
  ]);
  const numbered = places.filter(
    ({ ofport }) => (ofport === reservedPorts.LOCAL ? 'LOCAL' : String(ofport)) === port,
  );
  const found =
    places.find(({ name }) => name === port) ?? (numbered.length > 1 ? undefined : numbered[0]);
  if (found !== undefined) return { bridge: found.bridge, ofport: found.ofport };
  if (numbered.length > 1)
    throw new InputError(
      `port ${port} is there on ${numbered.map(({ bridge }) => bridge.name).join(', ')}: give ` +
        `the port's name, or the bridge before FLOW`,
    );
  const [only, ...others] = bridges;
  if (
    only !== undefined &&
    others.length === 0 &&
    unlisted.has(only.name) &&
    /^[1-9]\d{0,4}$/.test(port) &&
    Number(port) < lastPort
  )
    return { bridge: only, ofport: Number(port) };
  throw unknownName(
    'port',
    port,
    places.map(({ name }) => name),
  );
}

/** Ports of a bridge have numbers below this one. */
export const lastPort = 0xff00;
/**
 * The switch with the ports that packets come in at, where nobody has listed its ports. @throws
 * InputError for a port that a listed bridge does not have.
 */
export function withPorts(
  target: DumpedSwitch,
  places: readonly { readonly bridge: string; readonly ofport: number }[],
): DumpedSwitch {
  const bridges = target.plan.bridges.map((bridge): BridgePlan => {
    const wanted = [
      ...new Set(
        places.filter((place) => place.bridge === bridge.name).map(({ ofport }) => ofport),
      ),
    ];
    const missing = wanted.filter(
      (ofport) => ofport < lastPort && !bridge.ports.some((port) => port.ofport === ofport),
    );
    if (missing.length > 0 && !target.unlisted.has(bridge.name))
      throw unknownName(
        `port of ${bridge.name}`,
        String(missing[0]),
        bridge.ports.map(({ name, ofport }) => `${ofport} (${name})`),
      );
    return {
      ...bridge,
      ports: [
        ...bridge.ports,
        ...missing.map((ofport): PortPlan => ({ kind: 'endpoint', name: String(ofport), ofport })),
      ],
    };
  });
  return { ...target, plan: { ...target.plan, bridges } };
}
