/** Bonds: several ports that NORMAL takes for one (ovs-vswitchd.conf.db(5), "Bonding"). */
import { Unsupported } from '../../base/errors/errors.js';
import type { BondPlan } from '../../domain/plan/bridge-plan.js';
import { hashUint64 } from '../fields/murmur-hash.js';
import { isLocked, type LearnedAddress } from './mac-table.js';
import type { ModelBridge } from '../model-bridge.js';
import type { ModelNode } from '../model-node.js';

/** The bond that a port is a member of. */
export function bondOf({ plan, ports }: ModelBridge, port: number): BondPlan | undefined {
  const name = ports.get(port)?.name;
  return name === undefined ? undefined : plan.bonds?.find(({ members }) => members.includes(name));
}

/** The number that stands for the bond where addresses are learned: that of its first member. */
export function bondPort({ plan }: ModelBridge, { members: [first] }: BondPlan): number {
  return plan.ports.find(({ name }) => name === first)?.ofport ?? 0;
}

/**
 * Whether a packet may come in at this member; `unless moved`: where its sender is not known to be
 * at another port (ofproto/bond.c, bond_check_admissibility).
 * @throws Unsupported where it hangs on what dumps do not say.
 */
export function admission(
  node: ModelNode,
  bridge: ModelBridge,
  bond: BondPlan,
  inPort: number,
  destination: 'one host' | 'several',
): 'yes' | 'no' | 'unless moved' {
  refuseUnknown(bond);
  switch (bond.mode) {
    case 'active-backup':
      return activeMember(node, bridge, bond) === inPort ? 'yes' : 'no';
    case 'balance-slb':
      if (destination === 'one host' || bond.multicast === 'at all members') return 'unless moved';
      return activeMember(node, bridge, bond) === inPort ? 'unless moved' : 'no';
    case 'balance-tcp':
      // Without LACP, which is refused above, it takes and sends nothing.
      return 'no';
  }
}

/** Undefined where a packet may come in at this member (ofproto-dpif-xlate.c, is_admissible). */
export function whyBondRefuses(
  node: ModelNode,
  bridge: ModelBridge,
  bond: BondPlan,
  packet: {
    readonly inPort: number;
    readonly to: 'one host' | 'several';
    /** Where its sender is known to be. */
    readonly known: LearnedAddress | undefined;
    readonly isGratuitous: boolean;
  },
): string | undefined {
  const { inPort, to, known, isGratuitous } = packet;
  switch (admission(node, bridge, bond, inPort, to)) {
    case 'yes':
      return undefined;
    case 'no':
      return `bond ${bond.name} does not take it at this member`;
    case 'unless moved':
      return known !== undefined &&
        known.port !== bondPort(bridge, bond) &&
        (!isGratuitous || isLocked(known, node.nowMs))
        ? `bond ${bond.name} takes it for one that has come back: its sender is elsewhere`
        : undefined;
  }
}

/** Hashes are of 8 bits (ofproto/bond.c, BOND_MASK). */
const hashes = 256;

/**
 * The member that a packet leaves by; undefined where none is up.
 * @param packet the sender's address, 48 bits as a number, and the VLAN that it leaves with.
 * @throws Unsupported where it hangs on what dumps do not say.
 */
export function outputMember(
  node: ModelNode,
  bridge: ModelBridge,
  bond: BondPlan,
  packet: { readonly source: number; readonly vlan: number },
): number | undefined {
  refuseUnknown(bond);
  switch (bond.mode) {
    case 'active-backup':
      return activeMember(node, bridge, bond);
    case 'balance-slb':
      return balancedMember(node, bridge, bond, packet);
    case 'balance-tcp':
      return undefined;
  }
}

function refuseUnknown({ name, unknown = [] }: BondPlan): void {
  if (unknown.length > 0)
    throw new Unsupported(
      `the packet meets bond ${name}, and what ${unknown.join(', ')} does to it the model does ` +
        'not know',
    );
}

function balancedMember(
  { downPorts }: ModelNode,
  bridge: ModelBridge,
  { name, members, hashBasis = 0, hashes: known = {} }: BondPlan,
  { source, vlan }: { readonly source: number; readonly vlan: number },
): number | undefined {
  const up = members.filter((member) => !downPorts.has(member));
  const isUnchanged = members.every(
    (member) => downPorts.has(member) === (portOf(bridge, member)?.link === 'down'),
  );
  if (!isUnchanged)
    throw new Unsupported(
      `the packet meets bond ${name} after links of it have changed: what Open vSwitch sends by ` +
        'itself then the model does not know',
    );
  if (up.length < 2) return portOf(bridge, up[0])?.ofport;
  const hash = hashUint64(BigInt(source) | (BigInt(vlan) << 48n), hashBasis) % hashes;
  const chosen = known[hash];
  if (chosen === undefined || !up.includes(chosen))
    throw new Unsupported(
      `the packet meets bond ${name}, and to which of its members (${up.join(', ')}) balance-slb ` +
        `has given hash ${hash} the dump does not say: "ovs-appctl bond/show" may, which --bonds ` +
        'takes',
    );
  return portOf(bridge, chosen)?.ofport;
}

function portOf(
  { plan }: ModelBridge,
  name: string | undefined,
): ModelBridge['plan']['ports'][number] | undefined {
  return plan.ports.find((port) => port.name === name);
}

/**
 * The active member; undefined where none is up.
 * @throws Unsupported where it hangs on what dumps do not say, and once another has taken over from
 *   the one that was active: Open vSwitch then sends learning packets of its own (bond.c,
 *   bond_should_send_learning_packets).
 */
export function activeMember(
  { downPorts }: ModelNode,
  bridge: ModelBridge,
  bond: BondPlan,
): number | undefined {
  const { name, members } = bond;
  const begun = chooseMember(
    bond,
    members.filter((member) => portOf(bridge, member)?.link !== 'down'),
  );
  const chosen = chooseMember(
    bond,
    members.filter((member) => !downPorts.has(member)),
  );
  if (chosen !== undefined && chosen !== begun)
    throw new Unsupported(
      `the packet meets bond ${name} after ${chosen} has taken over from ` +
        `${begun ?? 'no member'}: what Open vSwitch sends by itself then the model does not know`,
    );
  return chosen === undefined ? undefined : portOf(bridge, chosen)?.ofport;
}

/** Of the members that are up. */
function chooseMember({ name, active }: BondPlan, up: readonly string[]): string | undefined {
  const [only, ...others] = up;
  if (active !== undefined && up.includes(active)) return active;
  if (others.length === 0) return only;
  throw new Unsupported(
    `the packet meets bond ${name}, and which of its members (${up.join(', ')}) is active the ` +
      'dump does not say',
  );
}
