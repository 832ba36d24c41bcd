/** One packet through one node's bridges: lookups and actions, as Open vSwitch carries them out. */
import { Unsupported, assertNever } from '../base/errors.js';
import type { TunnelType } from '../nouns/topology.js';
import { etherTypes } from '../packet/ethernet.js';
import { isIp, word, type FlowKey } from '../packet/flow-key.js';
import { printActions, type Action, type CtAction, type Subfield } from '../openflow/actions.js';
import { fieldsNamed } from '../openflow/fields.js';
import { printFlow } from '../openflow/flow.js';
import { reservedPorts } from '../openflow/ports.js';
import { lookup, type Rule } from './classifier.js';
import { track, type Tracked } from './conntrack/tracker.js';
import { readSubfield, writeField, writeSubfield } from './keys.js';
import { hasField } from './has-field.js';
import { changeHeaders, readBehindLabels, setVlan, type HeaderChange } from './headers.js';
import { checkRead, checkWrite } from './known.js';
import { Tie } from './tie.js';
import { idOf, portName, routeTunnel, type ModelBridge, type ModelNode } from './node.js';
import { normal } from './normal.js';
import { arriving, commit, settled, type Packet } from './packet.js';
import { decapsulate, encapsulate } from './tunnel.js';
import type { TraceStep } from './trace.js';

/** Limits of ovs-vswitchd: resubmit depth, resubmits a translation (ovs-actions(7), "resubmit"), and recirculations a packet (8 since OVS 3.2, 6 before). */
const limits = { depth: 64, lookups: 4096, recirculations: 6 } as const;

/** What one frame into a node has led to so far. */
export interface Passage {
  readonly node: ModelNode;
  readonly outputs: { readonly port: string; readonly frame: Uint8Array }[];
  readonly steps: TraceStep[];
  /** How often the packet at hand went through the connection tracker or a tunnel and on. */
  recirculations: number;
}

/** One translation: a packet on one bridge, from its first table until it leaves, ends or recirculates. */
interface Translation {
  readonly bridge: ModelBridge;
  readonly passage: Passage;
  /** What is left to do once the translation is complete, in order: frames that leave, connections that are looked at. */
  readonly datapath: (() => void)[];
  depth: number;
  lookups: number;
}

/** A frame enters `bridge` at OpenFlow port `inPort`. */
export function enter(passage: Passage, bridge: ModelBridge, packet: Packet): void {
  translate(passage, bridge, packet, 0);
}

/** As in Open vSwitch, addresses are learned while tables are looked up; a packet that goes on from the tracker finds them all. */
function translate(passage: Passage, bridge: ModelBridge, packet: Packet, table: number): void {
  const datapath: (() => void)[] = [];
  runTable({ bridge, passage, datapath, depth: 0, lookups: 0 }, packet, table, packet.key[word.inPort] ?? 0);
  for (const carryOut of datapath) carryOut();
}

function recirculate(passage: Passage, bridge: ModelBridge, packet: Packet, table: number): void {
  if (passage.recirculations >= limits.recirculations) throw new Unsupported(`the model does not know what Open vSwitch does past ${limits.recirculations} recirculations`);
  passage.recirculations++;
  translate(passage, bridge, packet, table);
  passage.recirculations--;
}

/** Looks `table` up with `inPort` as the packet's port and carries out what is found. */
function runTable(at: Translation, packet: Packet, table: number, inPort: number): void {
  const { passage, bridge } = at;
  const { node, steps } = passage;
  const realPort = packet.key[word.inPort] ?? 0;
  packet.key[word.inPort] = inPort;
  const { rule: first, ties } = lookup(bridge.tables, table, seenByLookup(packet));
  packet.key[word.inPort] = realPort;
  if (first === undefined) {
    steps.push({ kind: 'lookup', bridge: bridge.plan.name, table }, { kind: 'drop', why: `no flow of table ${table} matches` });
    return;
  }
  const rule = ties.length === 0 ? first : chosen(node, bridge, [first, ...ties]);
  node.packets.set(rule, (node.packets.get(rule) ?? 0) + 1);
  const flow = idOf(node, bridge, rule);
  steps.push({ kind: 'lookup', bridge: bridge.plan.name, table, flow });
  if (rule.flow.actions.length === 0) steps.push({ kind: 'drop', flow, why: 'the flow says drop' });
  for (const action of rule.flow.actions) {
    readBehindLabels(packet, action);
    if (act(at, packet, rule, action) === 'expired') return;
  }
}

/** The one that was seen to win among flows of equal priority: OpenFlow leaves open which of them it is (1.3, section 5.3). @throws Tie where none was seen. */
function chosen(node: ModelNode, bridge: ModelBridge, candidates: readonly Rule[]): Rule {
  const won = node.ties.find((tie) => tie.candidates.length === candidates.length && candidates.every((candidate) => tie.candidates.includes(candidate)));
  if (won !== undefined) return won.winner;
  throw new Tie(`two flows of equal priority match one packet: ${candidates.slice(0, 2).map(({ flow }) => printFlow(flow)).join(' and ')}`, node, candidates, candidates.map((rule) => ({ flow: idOf(node, bridge, rule), packets: node.packets.get(rule) ?? 0 })));
}

/** Fragments have no ports to match, not even the first (ovs-ofctl(8), "set-frags": `normal`). */
function seenByLookup(packet: Packet): FlowKey {
  if (packet.key[word.nwFrag] === 0) return packet.key;
  const key = packet.key.slice();
  key.fill(0, word.tpSrc, word.tpDst + 1);
  return key;
}

/** `expired`: the packet may live no longer, and the actions behind are not carried out. */
function act(at: Translation, packet: Packet, rule: Rule, action: Action): 'expired' | void {
  const { passage, bridge } = at;
  const flow = idOf(passage.node, bridge, rule);
  const wrote = (field: string) => void passage.steps.push({ kind: 'write', flow, field });
  switch (action.kind) {
    case 'output':
      return output(at, packet, rule, action.port);
    case 'output-field':
      return outputByField(at, packet, rule, action.source);
    case 'goto':
      return descend(at, packet, rule, action.table, packet.key[word.inPort] ?? 0);
    case 'resubmit':
      if (action.original) throw notModelled(action);
      return descend(at, packet, rule, action.table ?? rule.flow.table, action.port ?? packet.key[word.inPort] ?? 0);
    case 'set':
      checkWrite(action.field);
      if (!hasField(packet.key, action.field)) return;
      writeField(packet.key, action.field, action.value, action.mask ?? action.field.ones);
      wrote(action.field.name);
      return;
    case 'move':
      checkRead(action.source.field);
      checkWrite(action.destination.field);
      if (!hasField(packet.key, action.source.field) || !hasField(packet.key, action.destination.field)) return;
      writeSubfield(packet.key, action.destination, readSubfield(packet.key, action.source));
      wrote(action.destination.field.name);
      return;
    case 'ct':
      return connectionTrack(at, packet, rule, action);
    case 'dec_ttl':
      return decrementTtl(at, packet, rule);
    case 'push_vlan':
    case 'pop_vlan':
    case 'push_mpls':
    case 'pop_mpls':
    case 'dec_mpls_ttl':
      return header(at, packet, rule, action);
    case 'set_vlan':
      setVlan(packet, action);
      return wrote('vlan_tci');
    case 'output-truncated':
    case 'controller':
    case 'enqueue':
    case 'set_queue':
    case 'pop_queue':
    case 'group':
    case 'set_port':
    case 'push':
    case 'pop':
    case 'delete_field':
    case 'clone':
    case 'exit':
    case 'write_metadata':
    case 'write_actions':
    case 'clear_actions':
    case 'meter':
    case 'conjunction':
    case 'nat':
    case 'learn':
    case 'bundle':
    case 'multipath':
    case 'check_pkt_larger':
    case 'sample':
    case 'fin_timeout':
    case 'note':
    case 'ct_clear':
      throw notModelled(action);
    default:
      return assertNever(action);
  }
}

function notModelled(action: Action): Unsupported {
  return new Unsupported(`the model does not carry out ${printActions([action])}`);
}

/** On to another table. Only going back, or staying, makes it deeper; every lookup counts. */
function descend(at: Translation, packet: Packet, rule: Rule, table: number, port: number): void {
  const deepens = table <= rule.flow.table ? 1 : 0;
  if (at.depth >= limits.depth || at.lookups >= limits.lookups) {
    const why = at.depth >= limits.depth ? `more than ${limits.depth} resubmits deep` : `more than ${limits.lookups} resubmits`;
    at.passage.steps.push({ kind: 'drop', flow: idOf(at.passage.node, at.bridge, rule), why });
    throw new Unsupported(`the model does not know what Open vSwitch does past its limits: ${why} at ${printFlow(rule.flow)}`);
  }
  at.lookups++;
  at.depth += deepens;
  runTable(at, packet, table, port);
  at.depth -= deepens;
}

/**
 * A TTL of 0 or 1 ends the flow's actions: the packet would go to a controller that asked for it, and there is none
 * (ovs-actions(7), "dec_ttl"). A flow that resubmitted to this one goes on.
 */
function decrementTtl(at: Translation, packet: Packet, rule: Rule): 'expired' | void {
  if (!isIp(packet.key[word.ethType] ?? 0)) return;
  const flow = idOf(at.passage.node, at.bridge, rule);
  const ttl = packet.key[word.nwTtl] ?? 0;
  if (ttl <= 1) {
    at.passage.steps.push({ kind: 'drop', flow, why: `dec_ttl with TTL ${ttl}` });
    return 'expired';
  }
  packet.key[word.nwTtl] = ttl - 1;
  at.passage.steps.push({ kind: 'write', flow, field: 'nw_ttl' });
}

/** A tag or a label more or less, or the label's TTL. */
function header(at: Translation, packet: Packet, rule: Rule, action: HeaderChange): 'expired' | void {
  const flow = idOf(at.passage.node, at.bridge, rule);
  const result = changeHeaders(packet, action);
  if (result === 'too many labels') throw new Unsupported(`the model does not take back what was sent of a packet that ${printActions([action])} has too many labels for`);
  if (result === 'done') return void at.passage.steps.push({ kind: 'write', flow, field: action.kind });
  at.passage.steps.push({ kind: 'drop', flow, why: `${action.kind} with no TTL left` });
  return 'expired';
}

/** The packet's changes go into its bytes; then it is untracked again: connection fields are for the packet that goes on in `table` (ovs-actions(7), "ct"). */
function connectionTrack(at: Translation, packet: Packet, rule: Rule, ct: CtAction): void {
  const { zone } = ct;
  if (typeof zone !== 'number' || ct.force || ct.alg !== undefined) throw notModelled(ct);
  const onward = settled(packet);
  packet.key.fill(0, word.ctState, word.pktMark);
  at.datapath.push(() => lookAtConnection(at, packet, onward, rule, ct, zone));
}

/** The tracker looks at the packet, and with `table` it goes on there with the answer. */
function lookAtConnection(at: Translation, packet: Packet, onward: Packet, rule: Rule, ct: CtAction, zone: number): void {
  const { node } = at.passage;
  const flow = idOf(node, at.bridge, rule);
  const said = saidBefore(packet, onward, zone) ?? track(node.connections, onward.frame, onward.layout, onward.key, zone, node.nowMs, ct.commit);
  packet.tracked = onward.tracked = { said, key: onward.arrived };
  const { state, connection } = said;
  for (const action of ct.exec) {
    if (action.kind !== 'set' || action.field.name !== 'ct_mark') throw new Unsupported('the model only sets ct_mark in exec()');
    if (connection !== undefined) connection.mark = Number((BigInt(connection.mark) & ~(action.mask ?? action.field.ones)) | action.value);
  }
  if (ct.table === undefined) return;
  for (const [name, value] of [['ct_state', state], ['ct_zone', zone], ['ct_mark', connection?.mark ?? 0]] as const) {
    for (const field of fieldsNamed(name)) writeField(onward.key, field, BigInt(value), field.ones);
    at.passage.steps.push({ kind: 'write', flow, field: name });
  }
  recirculate(at.passage, at.bridge, onward, ct.table);
}

/** In the zone of its connection a packet is not looked at again, unless its addresses or ports have changed. */
function saidBefore({ tracked }: Packet, { arrived }: Packet, zone: number): Tracked | undefined {
  const tuple = [word.nwSrc, word.nwDst, word.tpSrc, word.tpDst];
  return tracked?.said.connection?.zone === zone && tuple.every((field) => tracked.key[field] === arrived[field]) ? tracked.said : undefined;
}

/** A number that no port can have sends nothing (ovs-actions(7), "output"). */
function outputByField(at: Translation, packet: Packet, rule: Rule, source: Subfield): void {
  checkRead(source.field);
  const port = Number(readSubfield(packet.key, source));
  if (port < reservedPorts.ANY) return output(at, packet, rule, port, source.field.name);
  at.passage.steps.push({ kind: 'drop', flow: idOf(at.passage.node, at.bridge, rule), why: `${source.field.name} holds ${port}, which is no port` });
}

function output(at: Translation, packet: Packet, rule: Rule, port: number, by?: string): void {
  const { bridge, passage } = at;
  const inPort = packet.key[word.inPort] ?? 0;
  if (port === reservedPorts.NORMAL) {
    const targets = normal(bridge.macs, packet.key, [...bridge.ports.keys(), reservedPorts.LOCAL]);
    if (targets.length === 0) passage.steps.push({ kind: 'drop', flow: idOf(passage.node, bridge, rule), why: 'NORMAL keeps it' });
    for (const target of targets) send(at, packet, rule, target, 'NORMAL');
    return;
  }
  if (port === reservedPorts.IN_PORT) return send(at, packet, rule, inPort);
  if (port >= reservedPorts.IN_PORT && port !== reservedPorts.LOCAL) throw new Unsupported(`the model does not know the output of ${printFlow(rule.flow)}`);
  if (port === inPort) {
    passage.steps.push({ kind: 'drop', flow: idOf(passage.node, bridge, rule), why: `output to the port it came from, ${portName(bridge, port)}` });
    return;
  }
  send(at, packet, rule, port, by);
}

/** Out of a port: to the wire, into a tunnel, or up a tunnel's end. */
function send(at: Translation, packet: Packet, rule: Rule, port: number, by?: string): void {
  const { bridge, passage } = at;
  const flow = idOf(passage.node, bridge, rule);
  const name = portName(bridge, port);
  const plan = bridge.ports.get(port);
  passage.steps.push({ kind: 'output', flow, port: name, ...(by === undefined ? {} : { by }) });
  if (plan?.kind === 'tunnel') return sendThroughTunnel(at, packet, rule, plan.tunnel);
  if (plan === undefined && port !== reservedPorts.LOCAL) {
    passage.steps.push({ kind: 'drop', flow, why: `there is no port ${port}` });
    return;
  }
  commit(packet);
  const { frame } = packet;
  at.datapath.push(() => {
    if (port === reservedPorts.LOCAL && receiveFromTunnel(passage, bridge, frame)) return;
    passage.outputs.push({ port: name, frame });
  });
}

function sendThroughTunnel(at: Translation, packet: Packet, rule: Rule, type: TunnelType): void {
  const { passage, bridge } = at;
  const flow = idOf(passage.node, bridge, rule);
  const destination = packet.key[word.tunDst] ?? 0;
  const route = destination === 0 ? undefined : routeTunnel(passage.node, destination);
  const underlay = route?.bridge.plan.underlay;
  if (route === undefined || underlay === undefined) {
    passage.steps.push({ kind: 'drop', flow, why: destination === 0 ? 'tunnel without tun_dst' : 'no route to tun_dst' });
    return;
  }
  if (packet.key[word.ethType] === etherTypes.ipv6) throw new Unsupported('the model does not tunnel IPv6');
  if (route.mac === undefined) throw new Unsupported(`the model does not resolve tunnel neighbours, and tun_dst of ${printFlow(rule.flow)} is none`);
  const outer = encapsulate(type, packet, underlay, route.bridge.plan.mac, route.mac);
  runTable({ bridge: route.bridge, passage, datapath: at.datapath, depth: 0, lookups: 0 }, arriving(outer, reservedPorts.LOCAL), 0, reservedPorts.LOCAL);
}

/** Whether the frame ended a tunnel here: then what was inside goes on at the tunnel's port. */
function receiveFromTunnel(passage: Passage, underlay: ModelBridge, frame: Uint8Array): boolean {
  const tunnels = passage.node.bridges.flatMap((bridge) => bridge.plan.ports.flatMap((port) => (port.kind === 'tunnel' ? [{ bridge, port }] : [])));
  const inner = decapsulate(tunnels.map(({ port }) => port.tunnel), frame, underlay.plan);
  if (inner === undefined) return false;
  for (const { bridge, port: tunnel } of tunnels) {
    if (tunnel.tunnel !== inner.type) continue;
    const packet = arriving(inner.frame, tunnel.ofport);
    packet.key[word.tunSrc] = inner.src;
    packet.key[word.tunDst] = inner.dst;
    packet.key[word.tunId + 1] = inner.id;
    recirculate(passage, bridge, packet, 0);
    return true;
  }
  return false;
}
