/**
 * The NORMAL action: a learning switch with VLANs (ovs-actions(7), "normal";
 * ovs-vswitchd.conf.db(5), table Port, "VLAN Configuration").
 */
import { reservedPorts } from '../../openflow/syntax/ports.js';
import { etherTypes } from '../../packet/protocols/link/ethernet.js';
import { countTags, isIp, isTag, word, type FlowKey } from '../../packet/flow-key/flow-key.js';
import { bondOf, bondPort, outputMember, whyBondRefuses } from './bonds.js';
import { learnMac } from './mac-table.js';
import { groupOf, readMulticast, type IngressPacket } from './multicast-messages.js';
import { isMirrorOutput } from './mirrors.js';
import { refuseUnknownSettings } from './unknown-settings.js';
import type { ModelNode } from '../model-node.js';
import type { ModelBridge } from '../model-bridge.js';
import {
  updateMembership,
  portsForGroup,
  portsForReports,
  type IngressPort,
} from './multicast-snooping.js';
import {
  type Tag,
  type TaggedOutput,
  vlansOf,
  isAllowed,
  toInternalTags,
  carries,
  outputAt,
  tagsOf,
} from './vlans.js';

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
 * Learns the sender, and decides where the packet goes. @param explain gets why it stays.
 * @returns Never the port it came from; empty for a packet that stays.
 */
export function xlateNormal(
  node: ModelNode,
  bridge: ModelBridge,
  key: FlowKey,
  received: IngressPacket,
  explain: (why: string) => void = () => undefined,
): readonly TaggedOutput[] {
  const stays = (why: string): readonly TaggedOutput[] => {
    explain(why);
    return [];
  };
  refuseUnknownSettings(bridge.plan);
  const inPort = key[word.inPort] ?? 0;
  // What a controller sends has no port, or its own (xlate.c, lookup_input_bundle).
  const hasNoPort = inPort === reservedPorts.ANY || inPort === reservedPorts.CONTROLLER;
  if (!hasNoPort && !portsOf(bridge).includes(inPort))
    return stays(`the packet's in_port, ${inPort}, is no port of ${bridge.plan.name}`);
  if (isMirrorOutput(bridge.mirrors, inPort))
    return stays('what comes in at the output port of a mirror is dropped');
  if (isTag(key[word.ethType] ?? 0) && countTags(key) === 0)
    return stays('the tag of its VLAN is cut off');
  const bond = bondOf(bridge, inPort);
  const inBundle = bond === undefined ? inPort : bondPort(bridge, bond);
  const arrived = tagsOf(key);
  const arrivedVlan = arrived[0]?.vlan ?? 0;
  if (!isAllowed(vlansOf(bridge, inPort), arrivedVlan))
    return stays(
      'the port it came from does not take packets ' +
        (arrived.length === 0 ? 'without a tag' : `of VLAN ${arrivedVlan}`),
    );
  const tags = toInternalTags(vlansOf(bridge, inPort), arrived);
  const vlan = tags[0]?.vlan ?? 0;
  const [source, destination] = [macAt(key, word.ethSrc), macAt(key, word.ethDst)];
  if (isReserved(destination) && bridge.plan.forwardBpdu === undefined)
    return stays(
      `${formatMac(destination)} is a reserved address, which is not forwarded ` +
        '(forward-bpdu=false)',
    );
  const isGratuitous = isGratuitousArp(key, destination);
  const refusal =
    bond === undefined
      ? undefined
      : whyBondRefuses(node, bridge, bond, {
          inPort,
          to: isMulticast(destination) ? 'several' : 'one host',
          known: bridge.macs.get(`${vlan} ${source}`),
          isGratuitous,
        });
  if (refusal !== undefined) return stays(refusal);
  if (
    !hasNoPort &&
    !isMulticast(source) &&
    learnMac(
      bridge.macs,
      bridge.plan,
      { vlan, mac: source, port: inBundle },
      { isGratuitous, at: bond === undefined ? 'port' : 'bond' },
      node.nowMs,
    ) === 'news'
  )
    node.generations.learned++;
  const exits = (targets: readonly number[]) =>
    targets
      .map((port) => outputAt(bridge, port, tags, arrived[0]?.priority ?? 0))
      .flatMap((left) => membersOf(node, bridge, left, inBundle, source))
      .filter(({ port }) => port !== inPort);
  const snooped = isMulticast(destination)
    ? snoopMulticast(node, bridge, key, received, { vlan, port: inPort })
    : 'all';
  if (snooped !== 'all') {
    const out = exits(snooped);
    if (out.length === 0) explain('no other port has asked for the group, and none is a router');
    return out;
  }
  const targets = targetsOf(bridge, tags, destination, inBundle);
  if (targets.kind === 'none') return stays(targets.why);
  const out = exits(targets.ports);
  if (out.length === 0) explain(targets.why);
  return out;
}

/** Where the address was learned, or where a flood goes; `why` nothing would come out. */
function targetsOf(
  bridge: ModelBridge,
  tags: readonly Tag[],
  destination: number,
  inBundle: number,
):
  | { readonly kind: 'ports'; readonly ports: readonly number[]; readonly why: string }
  | { readonly kind: 'none'; readonly why: string } {
  const vlan = tags[0]?.vlan ?? 0;
  const learned = isMulticast(destination) ? undefined : bridge.macs.get(`${vlan} ${destination}`);
  if (learned?.port === inBundle)
    return {
      kind: 'none',
      why: `${formatMac(destination)} was learned at the port that it came from`,
    };
  const ports =
    learned !== undefined
      ? [learned.port]
      : portsOf(bridge).filter(
          (port) => isFlooded(bridge, port) && carries(vlansOf(bridge, port), tags),
        );
  return {
    kind: 'ports',
    ports: ports.filter((port) => !isMirrorOutput(bridge.mirrors, port)),
    why:
      learned === undefined
        ? `no other port takes ${vlan === 0 ? 'it' : `packets of VLAN ${vlan}`}`
        : 'the port of its address is the output port of a mirror',
  };
}

export function formatMac(address: number): string {
  return (address.toString(16).padStart(12, '0').match(/../g) ?? []).join(':');
}

/** The port itself; of a bond one member, and none where the packet came in at it. */
export function membersOf(
  node: ModelNode,
  bridge: ModelBridge,
  left: TaggedOutput,
  inBundle: number | undefined,
  source: number,
): readonly TaggedOutput[] {
  const bond = bondOf(bridge, left.port);
  if (bond === undefined) return [left];
  const first = bondPort(bridge, bond);
  if (left.port !== first || first === inBundle) return [];
  const member = outputMember(node, bridge, bond, { source, vlan: left.tags[0]?.vlan ?? 0 });
  return member === undefined ? [] : [{ ...left, port: member }];
}

/**
 * Records the joins and leaves that a packet reports, and decides to which ports it goes, whatever
 * VLANs they carry.
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

/** Whether floods reach the port at all. */
export function isFlooded(bridge: ModelBridge, port: number): boolean {
  const members = bondOf(bridge, port)?.members;
  return members === undefined
    ? bridge.ports.get(port)?.flood !== 'never'
    : bridge.plan.ports.every(({ name, flood }) => flood !== 'never' || !members.includes(name));
}

export function macAt(key: FlowKey, at: number): number {
  return (key[at] ?? 0) * 0x1_0000_0000 + (key[at + 1] ?? 0);
}

function isMulticast(address: number): boolean {
  return Math.floor(address / multicastBit) % 2 === 1;
}
