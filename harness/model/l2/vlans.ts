/**
 * The VLANs of a bridge's ports, and the tags of packets there (ovs-vswitchd.conf.db(5), "VLAN
 * Configuration").
 */
import type { VlanPlan } from '../../domain/plan/cluster-plan.js';
import { etherTypes } from '../../packet/protocols/link/ethernet.js';
import { countTags, most, tagged, word, type FlowKey } from '../../packet/flow-key/flow-key.js';
import type { ModelBridge } from '../model-bridge.js';

/**
 * A tag that a packet carries inside the switch; one that is only there for its priority has VLAN
 * 0.
 */
export interface Tag {
  readonly type: number;
  readonly vlan: number;
  /** In its place: the upper three bits of 16. */
  readonly priority: number;
}

/** A way out, with the tags that the packet has there, outer one first. */
export interface TaggedOutput {
  readonly port: number;
  readonly tags: readonly Tag[];
}

/** A port's settings with nothing left open. */
interface Vlans {
  readonly mode: NonNullable<VlanPlan['mode']>;
  readonly tag: number;
  /** Undefined: all. */
  readonly trunks: ReadonlySet<number> | undefined;
}

const everyVlan: Vlans = { mode: 'trunk', tag: 0, trunks: undefined };

/**
 * A port with a tag is an access port unless it says otherwise; a native VLAN is always carried,
 * and packets without one never are.
 */
export function vlansOf(bridge: ModelBridge, port: number): Vlans {
  const plan = bridge.ports.get(port)?.vlan;
  if (plan === undefined) return everyVlan;
  const mode = plan.mode ?? (plan.tag === undefined ? 'trunk' : 'access');
  const tag = mode === 'trunk' ? 0 : (plan.tag ?? 0);
  const trunks = plan.trunks.length === 0 ? undefined : new Set(plan.trunks);
  const isNative = mode === 'native-tagged' || mode === 'native-untagged';
  if (!isNative || tag === 0) return { mode, tag, trunks };
  const all = trunks ?? new Set(Array.from({ length: 4096 }, (_, vlan) => vlan));
  return { mode, tag, trunks: new Set([...all, tag].filter((vlan) => vlan !== 0)) };
}

/** Whether a packet with this outer VLAN, 0 for none, may come in. */
export function isAllowed({ mode, trunks }: Vlans, vlan: number): boolean {
  if (mode === 'access') return vlan === 0;
  if (mode === 'dot1q-tunnel' || (mode !== 'trunk' && vlan === 0)) return true;
  return trunks?.has(vlan) ?? true;
}

/** As the packet is known inside: in the port's own VLAN where it says none. */
export function toInternalTags({ mode, tag }: Vlans, tags: readonly Tag[]): readonly Tag[] {
  const [outer] = tags;
  const own = { type: outer?.type ?? etherTypes.vlan, vlan: tag, priority: outer?.priority ?? 0 };
  switch (mode) {
    case 'access':
      return [own];
    case 'trunk':
      return tags;
    case 'native-tagged':
    case 'native-untagged':
      return (outer?.vlan ?? 0) === 0 ? [own, ...tags.slice(1)] : tags;
    case 'dot1q-tunnel':
      return [{ type: etherTypes.serviceVlan, vlan: tag, priority: 0 }, ...tags].slice(
        0,
        most.tags,
      );
  }
}

/** Whether a flood with these tags reaches the port. */
export function carries({ mode, tag, trunks }: Vlans, tags: readonly Tag[]): boolean {
  const [outer = 0, inner = 0] = tags.map(({ vlan }) => vlan);
  if (mode === 'access') return outer === tag && inner === 0;
  return mode === 'dot1q-tunnel' ? outer === tag : (trunks?.has(outer) ?? true);
}

export function toPortTags({ mode, tag }: Vlans, tags: readonly Tag[]): readonly Tag[] {
  if (mode === 'access') return [];
  return mode === 'dot1q-tunnel' || (mode === 'native-untagged' && (tags[0]?.vlan ?? 0) === tag)
    ? tags.slice(1)
    : tags;
}

export function tagsOf(key: FlowKey): readonly Tag[] {
  return Array.from({ length: countTags(key) }, (_, index) => {
    const control = key[word.vlanTci + index] ?? 0;
    return {
      type: key[word.vlanTpid + index] ?? 0,
      vlan: control & 0xfff,
      priority: control & 0xe000,
    };
  });
}

/** Gives the packet these tags; one of VLAN 0 without a priority is none. */
export function putTags(key: FlowKey, tags: readonly Tag[]): void {
  for (let index = 0; index < most.tags; index++) {
    const { type = etherTypes.vlan, vlan = 0, priority = 0 } = tags[index] ?? {};
    const control = vlan | priority;
    if (control !== 0) key[word.vlanTpid + index] = type;
    key[word.vlanTci + index] = control === 0 ? 0 : control | tagged;
  }
}
