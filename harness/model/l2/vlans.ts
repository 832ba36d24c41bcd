/**
 * The VLANs of a bridge's ports, and the tags of packets there (ovs-vswitchd.conf.db(5), "VLAN
 * Configuration").
 */
import type { VlanPlan } from '../../domain/plan/port-plan.js';
import { etherTypes } from '../../packet/protocols/link/ethernet.js';
import { countTags, most, tagged, word, type FlowKey } from '../../packet/flow-key/flow-key.js';
import type { ModelBridge } from '../model-bridge.js';
import { reservedPorts } from '../../openflow/syntax/ports.js';

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
  /** A tag without VLAN and priority stays. */
  readonly keepsEmptyTag?: true;
}

/** A port's settings with all defaults. */
interface Vlans {
  readonly mode: NonNullable<VlanPlan['mode']>;
  readonly tag: number;
  /** Undefined: all. */
  readonly trunks: ReadonlySet<number> | undefined;
  readonly customerVlans?: ReadonlySet<number>;
  readonly outerTag?: number;
}

const everyVlan: Vlans = { mode: 'trunk', tag: 0, trunks: undefined };

export function vlanPlanOf(bridge: ModelBridge, port: number): VlanPlan | undefined {
  return port === reservedPorts.LOCAL ? bridge.plan.localVlan : bridge.ports.get(port)?.vlan;
}

/**
 * A port with a tag is an access port unless it says otherwise; a native VLAN is always carried,
 * and packets without one never are.
 */
export function vlansOf(bridge: ModelBridge, port: number): Vlans {
  const plan = vlanPlanOf(bridge, port);
  if (plan === undefined) return everyVlan;
  const mode = plan.mode ?? (plan.tag === undefined ? 'trunk' : 'access');
  const tag = mode === 'trunk' ? 0 : (plan.tag ?? 0);
  const trunks = plan.trunks.length === 0 ? undefined : new Set(plan.trunks);
  const isNative = mode === 'native-tagged' || mode === 'native-untagged';
  if (mode === 'dot1q-tunnel') {
    const { customerVlans, outerTag } = plan;
    return {
      mode,
      tag,
      trunks,
      ...(customerVlans === undefined ? {} : { customerVlans: new Set(customerVlans) }),
      ...(outerTag === undefined ? {} : { outerTag: etherTypes.vlan }),
    };
  }
  if (!isNative || tag === 0) return { mode, tag, trunks };
  const all = trunks ?? new Set(Array.from({ length: 4096 }, (_, vlan) => vlan));
  return { mode, tag, trunks: new Set([...all, tag].filter((vlan) => vlan !== 0)) };
}

/** Whether a packet with this outer VLAN, 0 for none, may come in. */
export function isAllowed({ mode, trunks, customerVlans }: Vlans, vlan: number): boolean {
  if (mode === 'access') return vlan === 0;
  if (mode === 'dot1q-tunnel') return customerVlans?.has(vlan) ?? true;
  if (mode !== 'trunk' && vlan === 0) return true;
  return trunks?.has(vlan) ?? true;
}

/** As the packet is known inside: in the port's own VLAN where it says none. */
export function toInternalTags(
  { mode, tag, outerTag }: Vlans,
  tags: readonly Tag[],
): readonly Tag[] {
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
      return [{ type: outerTag ?? etherTypes.serviceVlan, vlan: tag, priority: 0 }, ...tags].slice(
        0,
        most.tags,
      );
  }
}

/** Whether a flood with these tags reaches the port. */
export function carries(
  { mode, tag, trunks, customerVlans }: Vlans,
  tags: readonly Tag[],
): boolean {
  const [outer = 0, inner = 0] = tags.map(({ vlan }) => vlan);
  if (mode === 'access') return outer === tag && inner === 0;
  if (mode === 'dot1q-tunnel') return outer === tag && (customerVlans?.has(inner) ?? true);
  return trunks?.has(outer) ?? true;
}

export function toPortTags({ mode, tag }: Vlans, tags: readonly Tag[]): readonly Tag[] {
  if (mode === 'access') return [];
  return mode === 'dot1q-tunnel' || (mode === 'native-untagged' && (tags[0]?.vlan ?? 0) === tag)
    ? tags.slice(1)
    : tags;
}

/**
 * The way out of a port for a packet with these tags inside. Where priorities are kept, that of the
 * packet at hand is (ofproto/ofproto-dpif-xlate.c, output_normal, xvlan_put).
 */
export function outputAt(
  bridge: ModelBridge,
  port: number,
  tags: readonly Tag[],
  priority: number,
): TaggedOutput {
  const left = toPortTags(vlansOf(bridge, port), tags);
  const priorityTags = vlanPlanOf(bridge, port)?.priorityTags;
  if (priorityTags === undefined) return { port, tags: left };
  const [outer = { type: etherTypes.vlan, vlan: 0, priority: 0 }, ...inner] = left;
  const prioritised = [{ ...outer, priority }, ...inner];
  return priorityTags === 'always' && left.length > 0
    ? { port, tags: prioritised, keepsEmptyTag: true }
    : { port, tags: prioritised };
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
export function putTags(key: FlowKey, tags: readonly Tag[], keepsEmptyTag = false): void {
  for (let index = 0; index < most.tags; index++) {
    const { type = etherTypes.vlan, vlan = 0, priority = 0 } = tags[index] ?? {};
    const control = vlan | priority;
    const isThere = control !== 0 || (keepsEmptyTag && index < tags.length);
    if (isThere) key[word.vlanTpid + index] = type;
    key[word.vlanTci + index] = isThere ? control | tagged : 0;
  }
}
