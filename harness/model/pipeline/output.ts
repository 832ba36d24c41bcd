/** Ways out of a bridge (ovs-actions(7), "Output Actions"). */
import { Unsupported } from '../../base/errors.js';
import type { TunnelType } from '../../nouns/topology.js';
import type { Subfield } from '../../openflow/actions.js';
import { fields } from '../../openflow/fields.js';
import { reservedPorts } from '../../openflow/ports.js';
import { etherTypes } from '../../packet/ethernet.js';
import { countTags, most, word } from '../../packet/flow-key.js';
import { readField, readSubfield } from '../keys.js';
import { checkRead } from '../known.js';
import { portName, routeTunnel, type ModelBridge } from '../node.js';
import { normal, portsOf, putTags, type Exit } from '../normal.js';
import { decodeOptions } from '../options.js';
import { arriving, commit, type Packet } from '../packet.js';
import { bytesOf, refuseChanged } from './carried.js';
import { sendThroughPatch } from './patch.js';
import { decapsulate, encapsulate } from '../tunnel.js';
import { tellController } from './controller.js';
import { descend, runTable } from './tables.js';
import { beginTranslation, blame, noteDrop, type ActionList, type Translation } from './translation.js';

/** A number that no port can have sends nothing. */
export function outputByField(at: Translation, source: Subfield, list: ActionList): void {
  checkRead(source.field);
  const port = readSubfield(at.packet.key, source);
  if (port <= 0xffffn && Number(port) !== reservedPorts.ANY) return output(at, Number(port), list, source.field.name);
  noteDrop(at, `${source.field.name} holds ${port}, which is no port`);
}

/** @param by the field that the number came from, if any. */
export function output(at: Translation, port: number, list: ActionList, by?: string): void {
  const inPort = at.packet.key[word.inPort] ?? 0;
  switch (port) {
    case reservedPorts.NORMAL:
      return outputNormal(at);
    case reservedPorts.FLOOD:
    case reservedPorts.ALL:
      return flood(at, port === reservedPorts.FLOOD ? 'FLOOD' : 'ALL');
    case reservedPorts.IN_PORT:
      return send(at, inPort, by);
    case reservedPorts.TABLE:
      return descend(at, 0, inPort);
    case reservedPorts.CONTROLLER:
      return tellController(at, { kind: 'controller', id: 0, maxLength: 0xffff, reason: 'action', userdata: [], pause: false }, list);
    case reservedPorts.ANY:
      return noteDrop(at, 'output to no port');
    case inPort:
      return noteDrop(at, `output to the port it came from, ${portName(at.bridge, port)}`);
    default:
      return send(at, port, by);
  }
}

function outputNormal(at: Translation): void {
  const { bridge, packet } = at;
  const exits = normal(bridge, packet.key);
  if (exits.length === 0) noteDrop(at, 'NORMAL keeps it');
  refuseLosing(packet, exits);
  const before = packet.key.slice(word.vlanTci, word.vlanTci + 2 * most.tags);
  for (const { port, tags } of exits) {
    putTags(packet.key, tags);
    send(at, port, 'NORMAL');
    packet.key.set(before, word.vlanTci);
  }
}

/** Where a tag is taken off for one port it is put back for the next, without its DEI (IEEE 802.1Q, 9.6): in which order, only the switch knows. */
function refuseLosing({ frame, arrived }: Packet, exits: readonly Exit[]): void {
  const hasDei = countTags(arrived) > 0 && ((frame[14] ?? 0) & 0x10) !== 0;
  if (hasDei && new Set(exits.map(({ tags }) => JSON.stringify(tags))).size > 1) throw new Unsupported('the model does not know in which order NORMAL sends a tag with DEI to ports with and without it');
}

/** To all ports but the one it came from. In which order is the switch's own business, and no port can tell: each gets one copy. */
function flood(at: Translation, by: string): void {
  const inPort = at.packet.key[word.inPort] ?? 0;
  for (const port of portsOf(at.bridge)) if (port !== inPort) send(at, port, by);
}

/** A copy of its first bytes: to a port that is there, and no other than a port's own number. */
export function outputTruncated(at: Translation, port: number, maxLength: number): void {
  const isPort = port === reservedPorts.LOCAL || at.bridge.ports.has(port);
  if (!isPort || at.bridge.ports.get(port)?.kind === 'patch') return noteDrop(at, `output(max_len) does not know port ${port}`);
  if (port === at.packet.key[word.inPort]) return noteDrop(at, `output to the port it came from, ${portName(at.bridge, port)}`);
  at.isLasting = true;
  send(at, port, undefined, maxLength);
}

/** Into a queue of a port. Queues do not change what comes out. */
export function enqueue(at: Translation, port: number): void {
  const inPort = at.packet.key[word.inPort] ?? 0;
  if (port === inPort) return noteDrop(at, `output to the port it came from, ${portName(at.bridge, port)}`);
  send(at, port === reservedPorts.IN_PORT ? inPort : port);
}

/** What is cut off within its Ethernet header leaves no port. */
const shortestFrame = 14;

/** Out of a port: to the wire, into a tunnel, or up a tunnel's end. */
function send(at: Translation, port: number, by?: string, maxLength = 0xffff): void {
  const { bridge, passage, packet } = at;
  const name = portName(bridge, port);
  const plan = bridge.ports.get(port);
  passage.steps.push({ kind: 'output', ...blame(at), port: name, ...(by === undefined ? {} : { by }) });
  if (plan === undefined && port !== reservedPorts.LOCAL) return noteDrop(at, `there is no port ${port}`);
  if (plan?.kind === 'patch') return sendThroughPatch(at, plan.peer);
  if (plan?.kind === 'tunnel') {
    if (maxLength < packet.frame.length) throw new Unsupported('the model does not know what a tunnel makes of a packet that is cut off');
    return sendThroughTunnel(at, plan.tunnel);
  }
  // The datapath cuts before it carries out what was pending: what is pushed in front of the packet then comes on top.
  const cutOff = Math.max(0, packet.frame.length - maxLength);
  commit(packet);
  const sent = { frame: packet.frame, layout: packet.layout, arrived: packet.arrived };
  if (passage.node.downPorts.has(name)) noteDrop(at, `the link of ${name} is down`);
  const told = passage.details === undefined ? {} : { key: packet.key.slice() };
  at.datapath.push(() => {
    const bytes = bytesOf(sent, at.carried, passage.node.behaviour).frame;
    const frame = bytes.subarray(0, bytes.length - cutOff);
    if (frame.length < shortestFrame) return;
    if (port === reservedPorts.LOCAL && receiveFromTunnel(at, bridge, frame)) return;
    if (!passage.node.downPorts.has(name)) passage.outputs.push({ port: name, frame, ...told });
  });
}

function sendThroughTunnel(at: Translation, type: TunnelType): void {
  const { passage, packet } = at;
  const destination = packet.key[word.tunDst] ?? 0;
  const route = destination === 0 ? undefined : routeTunnel(passage.node, destination);
  const underlay = route?.bridge.plan.underlay;
  if (route === undefined || underlay === undefined) return noteDrop(at, destination === 0 ? 'tunnel without tun_dst' : 'no route to tun_dst');
  if (packet.key[word.ethType] === etherTypes.ipv6) throw new Unsupported('the model does not tunnel IPv6');
  if (route.mac === undefined) throw new Unsupported('the model does not resolve tunnel neighbours, and tun_dst is none that is known');
  const lost = shownInTunnels.find((field) => readField(packet.key, field) !== 0n);
  if (lost !== undefined) throw new Unsupported(`the model does not put ${lost.name} into tunnels`);
  at.datapath.push(() => { refuseChanged(at, 'a tunnel that it enters'); });
  const outer = arriving(encapsulate(type, packet, at.bridge.options, underlay, route.bridge.plan.mac, route.mac), reservedPorts.LOCAL);
  const below: Translation = { ...beginTranslation(at, route.bridge, outer), datapath: at.datapath };
  runTable(below, 0, reservedPorts.LOCAL);
  if (below.freezing !== undefined || below.actionSet.length > 0) throw new Unsupported('the model does not know an underlay that does more than forward');
}

/** Fields of tunnels beside those that it knows how to put into one. */
const shownInTunnels = fields.filter(({ name, isView }) => !isView && /^tun_(ipv6_src|ipv6_dst|gbp_|erspan_|gtpu_)/.test(name));

/** Whether the frame ended a tunnel here: then what was inside goes on at the tunnel's port. */
function receiveFromTunnel(at: Translation, underlay: ModelBridge, frame: Uint8Array): boolean {
  const { passage } = at;
  const tunnels = passage.node.bridges.flatMap((bridge) => bridge.plan.ports.flatMap((port) => (port.kind === 'tunnel' ? [{ bridge, port }] : [])));
  const inner = decapsulate(tunnels.map(({ port }) => port.tunnel), frame, underlay.plan);
  if (inner === undefined) return false;
  for (const { bridge, port: tunnel } of tunnels) {
    if (tunnel.tunnel !== inner.type) continue;
    const packet = arriving(inner.frame, tunnel.ofport);
    packet.key[word.tunSrc] = inner.src;
    packet.key[word.tunDst] = inner.dst;
    packet.key[word.tunId + 1] = inner.id;
    packet.key[word.tunFlags] = inner.isOam ? 1 : 0;
    if (decodeOptions(inner.options ?? new Uint8Array(), packet.key, bridge.options) === 'refused') {
      passage.steps.push({ kind: 'drop', why: 'a tunnel option that must be known, or of another length' });
      return true;
    }
    at.recirculate({ bridge, table: 0, packet, actions: [], stack: [] });
    return true;
  }
  return false;
}
