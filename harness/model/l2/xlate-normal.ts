/**
 * The NORMAL action: a learning switch with VLANs (ovs-actions(7), "normal";
 * ovs-vswitchd.conf.db(5), table Port, "VLAN Configuration").
 */
import type { VlanPlan } from '../../domain/plan/cluster-plan.js';
import { reservedPorts } from '../../openflow/syntax/ports.js';
import { etherTypes } from '../../packet/protocols/link/ethernet.js';
import {
  countTags,
  isIp,
  isTag,
  most,
  tagged,
  word,
  type FlowKey,
} from '../../packet/flow-key/flow-key.js';
import { learnMac } from './mac-table.js';
import { groupOf, readMulticast, type IngressPacket } from './multicast-messages.js';
import { isMirrorOutput } from './mirrors.js';
import type { ModelNode } from '../model-node.js';
import type { ModelBridge } from '../model-bridge.js';
import {
  updateMembership,
  portsForGroup,
  portsForReports,
  type IngressPort,
} from './multicast-snooping.js';

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

/**
 * Destinations that bridges keep to themselves: those of IEEE 802.1D, table 7-10, and of protocols
 * of Cisco and Extreme (ovs-vswitchd.conf.db(5), "forward-bpdu").
 */
const reserved = [
  [0x0180c2000000, 0x0180c200000f],
  [0x01000c000000, 0x01000c000000],
  [0x01000cccccc0, 0x01000cccccc7],
  [0x01000ccccccc, 0x01000ccccccd],
  [0x01000ccdcdcd, 0x01000ccdcdcd],
  [0x00e02b000000, 0x00e02b000000],
  [0x00e02b000004, 0x00e02b000004],
  [0x00e02b000006, 0x00e02b000006],
] as const;
const multicastBit = 0x010000000000;

/**
 * Learns the sender and tells where the packet goes.
 * @returns Never the port it came from; empty for a packet that stays.
 */
export function xlateNormal(
  node: ModelNode,
  bridge: ModelBridge,
  key: FlowKey,
  received: IngressPacket,
): readonly TaggedOutput[] {
  const inPort = key[word.inPort] ?? 0;
  const ports = portsOf(bridge);
  if (!ports.includes(inPort) || isMirrorOutput(bridge.mirrors, inPort)) return [];
  if (isTag(key[word.ethType] ?? 0) && countTags(key) === 0) return []; // a tag that is cut off
  const arrived = tagsOf(key);
  if (!isAllowed(vlansOf(bridge, inPort), arrived[0]?.vlan ?? 0)) return [];
  const tags = toInternalTags(vlansOf(bridge, inPort), arrived);
  const vlan = tags[0]?.vlan ?? 0;
  const [source, destination] = [macAt(key, word.ethSrc), macAt(key, word.ethDst)];
  if (isReserved(destination)) return [];
  if (
    !isMulticast(source) &&
    learnMac(
      bridge.macs,
      bridge.plan,
      { vlan, mac: source, port: inPort },
      isGratuitousArp(key, destination),
      node.nowMs,
    ) === 'news'
  )
    node.generations.learned++;
  const exits = (targets: readonly number[]) =>
    targets
      .filter((port) => port !== inPort)
      .map((port) => ({ port, tags: toPortTags(vlansOf(bridge, port), tags) }));
  const snooped = isMulticast(destination)
    ? snoopMulticast(node, bridge, key, received, { vlan, port: inPort })
    : 'all';
  if (snooped !== 'all') return exits(snooped);
  const learned = isMulticast(destination) ? undefined : bridge.macs.get(`${vlan} ${destination}`);
  const targets =
    learned !== undefined
      ? [learned.port]
      : ports.filter((port) => isFlooded(bridge, port) && carries(vlansOf(bridge, port), tags));
  return exits(targets.filter((port) => !isMirrorOutput(bridge.mirrors, port)));
}

/**
 * Takes note of what a packet tells of who wants which multicast, and tells to which ports it goes,
 * whatever VLANs they carry.
 */
function snoopMulticast(
  { behaviour, nowMs }: ModelNode,
  { snooping }: ModelBridge,
  key: FlowKey,
  received: IngressPacket,
  place: IngressPort,
): readonly number[] | 'all' {
  if (
    snooping === undefined ||
    macAt(key, word.ethDst) === broadcast ||
    !isIp(key[word.ethType] ?? 0)
  )
    return 'all';
  const multicast = readMulticast(key, received, behaviour);
  if (multicast.kind === 'local') return 'all';
  if (multicast.kind === 'data') return portsForGroup(snooping, place.vlan, groupOf(key));
  for (const membership of multicast.memberships)
    updateMembership(snooping, place, membership, nowMs);
  return multicast.kind === 'report' ? portsForReports(snooping, place.vlan) : 'all';
}

/**
 * A broadcast answer that nobody asked for, or a question for the sender's own address
 * (ofproto/ofproto-dpif-xlate.c, is_gratuitous_arp).
 */
function isGratuitousArp(key: FlowKey, destination: number): boolean {
  if (key[word.ethType] !== etherTypes.arp || destination !== broadcast) return false;
  return (
    key[word.nwProto] === arpOperations.reply ||
    (key[word.nwProto] === arpOperations.request && key[word.nwSrc] === key[word.nwDst])
  );
}

const broadcast = 0xffffffffffff;
const arpOperations = { request: 1, reply: 2 } as const;

/** All OpenFlow ports of the bridge, LOCAL last. */
export function portsOf(bridge: ModelBridge): readonly number[] {
  return [...[...bridge.ports.keys()].sort((a, b) => a - b), reservedPorts.LOCAL];
}

export function isReserved(destination: number): boolean {
  return reserved.some(([first, last]) => destination >= first && destination <= last);
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

/** Whether floods reach the port at all. */
export function isFlooded(bridge: ModelBridge, port: number): boolean {
  return bridge.ports.get(port)?.flood !== 'never';
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

export function macAt(key: FlowKey, at: number): number {
  return (key[at] ?? 0) * 0x1_0000_0000 + (key[at + 1] ?? 0);
}

function isMulticast(address: number): boolean {
  return Math.floor(address / multicastBit) % 2 === 1;
}
