/** Bonds: several ports that NORMAL takes for one (ovs-vswitchd.conf.db(5), "Bonding"). */
import { Unsupported } from '../../base/errors/errors.js';
import type { BondPlan } from '../../domain/plan/bridge-plan.js';
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
 * The member that packets go out of and may come in at; undefined where none is up.
 * @throws Unsupported where it hangs on what dumps do not say, and once another has taken over from
 *   the one that was active: Open vSwitch then sends learning packets of its own (bond.c,
 *   bond_should_send_learning_packets).
 */
export function activeMember(
  { downPorts }: ModelNode,
  { plan }: ModelBridge,
  bond: BondPlan,
): number | undefined {
  const { name, mode, members } = bond;
  if (mode !== 'active-backup')
    throw new Unsupported(
      `the packet meets bond ${name}, and which of its members (${members.join(', ')}) ${mode} ` +
        'chooses for it the model does not know',
    );
  const portOf = (member: string) => plan.ports.find((port) => port.name === member);
  const begun = chooseMember(
    bond,
    members.filter((member) => portOf(member)?.link !== 'down'),
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
  return chosen === undefined ? undefined : portOf(chosen)?.ofport;
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
