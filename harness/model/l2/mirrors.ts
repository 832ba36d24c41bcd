/**
 * The mirrors of a bridge as its packets meet them (ovs-vswitchd.conf.db(5), table Mirror; Open
 * vSwitch ofproto/ofproto-dpif-mirror.c).
 */
import { InputError, Unsupported } from '../../base/errors/errors.js';
import type { BridgePlan, MirrorPlan } from '../../domain/plan/bridge-plan.js';
import { portNumbers } from '../../openflow/bridge-program.js';

export interface Mirror {
  readonly name: string;
  /**
   * One bit of its own, and those of all mirrors with the same output: a packet goes there once.
   */
  readonly bit: number;
  readonly sharing: number;
  /** Packets that come in at these ports, and that go out of these; OpenFlow numbers. */
  readonly sources: ReadonlySet<number>;
  readonly destinations: ReadonlySet<number>;
  /** Only these VLANs; undefined: all. */
  readonly vlans: ReadonlySet<number> | undefined;
  readonly output: /** Of a bond the number that stands for it, and all of its members. */
    | { readonly kind: 'port'; readonly port: number; readonly members: ReadonlySet<number> }
    | { readonly kind: 'vlan'; readonly vlan: number };
  /** Bytes of a copy at most; 0: all. */
  readonly snapLength: number;
}

/** As many as a bridge takes (MAX_MIRRORS). */
const mostMirrors = 32;

/**
 * The mirrors in the order in which packets meet them. In a running switch that is the order of
 * their rows' UUIDs.
 * @throws InputError for a port that is not there, Unsupported where more depends on that order
 *   than the order of the copies.
 */
export function mirrorsOf(bridge: BridgePlan): readonly Mirror[] {
  const { mirrors = [] } = bridge;
  if (mirrors.length > mostMirrors)
    throw new InputError(
      `bridge ${bridge.name} has ${mirrors.length} mirrors; at most ${mostMirrors} fit`,
    );
  refuseUnordered(bridge, mirrors);
  const numbers = portNumbers(bridge);
  const number = (mirror: MirrorPlan, port: string): number => {
    const found = numbers.get(port);
    if (found === undefined)
      throw new InputError(
        `mirror ${mirror.name} of bridge ${bridge.name} is about port "${port}", which is ` +
          'not there',
      );
    return found;
  };
  const sameOutput = (one: MirrorPlan) =>
    mirrors.reduce(
      (bits, other, index) =>
        JSON.stringify(other.output) === JSON.stringify(one.output)
          ? (bits | (1 << index)) >>> 0
          : bits,
      0,
    );
  return mirrors.map((mirror, index) => {
    const { name, select, vlans, output, snapLength = 0 } = mirror;
    const named = (port: string) => number(mirror, port);
    const ports = (of: 'sources' | 'destinations') =>
      new Set(select === 'all' ? numbers.values() : select[of].map((port) => number(mirror, port)));
    return {
      name,
      bit: (1 << index) >>> 0,
      sharing: sameOutput(mirror),
      sources: ports('sources'),
      destinations: ports('destinations'),
      vlans: vlans.length === 0 ? undefined : new Set(vlans),
      output: output.kind === 'port' ? portOutput(membersOf(bridge, output.port), named) : output,
      snapLength,
    };
  });
}

/** The ports that a name stands for: of a bond its members. */
function membersOf({ bonds = [] }: BridgePlan, name: string): readonly [string, ...string[]] {
  const [first = name, ...others] = bonds.find((bond) => bond.name === name)?.members ?? [];
  return [first, ...others];
}

function portOutput(
  names: readonly [string, ...string[]],
  number: (port: string) => number,
): Mirror['output'] {
  return { kind: 'port', port: number(names[0]), members: new Set(names.map(number)) };
}

/**
 * Copies into a VLAN leave in an order of the switch's own, and the first that another mirror
 * copies again ends what cuts the others off.
 */
function refuseUnordered({ name }: BridgePlan, mirrors: readonly MirrorPlan[]): void {
  const cutting = mirrors.find(
    ({ snapLength, output }) => snapLength !== undefined && output.kind === 'vlan',
  );
  if (cutting !== undefined && mirrors.length > 1)
    throw new Unsupported(
      `the model does not know mirror ${cutting.name} of bridge ${name}, which cuts off what ` +
        'it sends into a VLAN, beside another mirror',
    );
}

/**
 * Whether the port is there for copies alone: nothing else goes out of it by NORMAL, and what comes
 * in there is dropped.
 */
export function isMirrorOutput(mirrors: readonly Mirror[], port: number): boolean {
  return mirrors.some(({ output }) => output.kind === 'port' && output.members.has(port));
}
