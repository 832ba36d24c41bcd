/**
 * Tunnels that the switch carries out itself (Open vSwitch ofproto/ofproto-dpif-xlate.c,
 * native_tunnel_output and terminate_native_tunnel).
 */
import { blockContains, formatAddress, isIpv4Address } from '../../base/ip-address.js';
import { Unsupported } from '../../base/errors.js';
import { reservedPorts } from '../../openflow/ports.js';
import { isIp, word } from '../../packet/flow-key.js';
import { ipProtocols } from '../../packet/ipv4.js';
import { bridgeCalled, type ModelBridge, type ModelNode } from '../node.js';
import { decodeOptions } from '../options.js';
import { lookAtField, lookAtFrame, lookAtWords } from '../megaflows/recording.js';
import { arriving, type Packet } from '../packet.js';
import { setTunnelDestination, setTunnelSource } from '../tunnels/addresses.js';
import type { TunnelConfig } from '../tunnels/config.js';
import { heardOf, question } from '../tunnels/discovery.js';
import { asksNow, findNeighbour, learnNeighbour } from '../tunnels/neighbours.js';
import { keepOuter, outerOf, type OuterHeader } from '../tunnels/outer.js';
import { receiverOf, type TunnelPort } from '../tunnels/ports.js';
import { isLocalSource, routeTo, type Route } from '../tunnels/routes.js';
import { endedBy, ipSource, macOf, unwrap, type Unwrapped } from '../tunnels/unwrap.js';
import { envelopeOf, refusePutOff, wrap, wrapped, type Envelope } from '../tunnels/wrap.js';
import { bytesOf, refuseChanged } from './carried.js';
import { passOn } from './patch.js';
import {
  commitChanges,
  execute,
  keepNothing,
  leaveToDatapath,
  noteDrop,
  type Execution,
  type Translation,
} from './translation.js';

/**
 * @param length `whole`, or how many of the packet's last bytes stay behind: where a length is
 *   asked for, also one that is longer than the packet, what goes into the tunnel is read anew.
 */
export function sendThroughTunnel(
  at: Translation,
  { config }: TunnelPort,
  length: 'whole' | number,
): void {
  const cutOff = length === 'whole' ? 0 : length;
  const {
    packet,
    passage: { node },
  } = at;
  lookAtTunnel(at);
  const asked = outerOf(config, packet.key, node.behaviour);
  if (config.mark !== undefined) packet.key[word.pktMark] = config.mark;
  if (asked.destination === at.cameTo) {
    keepOuter(packet.key, asked);
    if (at.bridge.mirrors.length > 0)
      throw new Unsupported(
        'the model does not know what mirrors show of a packet that a tunnel does not take',
      );
    return stayBehind(
      at,
      cutOff,
      asked.destination === 0n
        ? 'tunnel without tun_dst'
        : 'a packet is not tunnelled to the address that it came to through a tunnel',
    );
  }
  commitChanges(at);
  const route = findRoute(at, asked);
  if (route === undefined)
    return stayBehind(at, cutOff, `no route to ${formatAddress(asked.destination)}`);
  const below = bridgeCalled(node, route.bridge);
  const next = route.gateway ?? asked.destination;
  const mac = findNeighbour(node, below, next);
  if (mac === undefined) {
    stayBehind(at, cutOff, `nobody knows yet where ${formatAddress(next)} is`);
    return askFor(at, below, route, next);
  }
  const link = { src: below.plan.mac, dst: mac };
  const header = { ...asked, source: asked.source === 0n ? route.source : asked.source };
  if (isIpv4Address(header.source) !== isIpv4Address(header.destination))
    throw new Unsupported(
      'the model does not know tunnels between addresses of different families',
    );
  const envelope = envelopeOf(packet.key, config, header, at.bridge.options, link);
  refusePutOff(envelope, packet.isRewritten, node.behaviour);
  const frame = wrap(packet.frame.subarray(0, packet.frame.length - cutOff), packet.hash, envelope);
  if (at.isLast) at.isLasting = true;
  if (length !== 'whole')
    return comeInAnew(at, below, {
      ...arriving(frame, reservedPorts.LOCAL),
      isResized: true,
      hash: packet.hash,
    });
  goBelow(at, below, wrapped(packet, frame, envelope, node.behaviour), envelope, {
    frame: packet.frame,
    layout: packet.layout,
    arrived: packet.arrived,
  });
}

/** What the outer header is made of, and whether anybody knows where it goes. */
function lookAtTunnel({ recording, bridge }: Translation): void {
  if (recording === undefined) return;
  recording.depends = 'on what was learned';
  lookAtWords(recording, word.tunId, word.tunTos - word.tunId);
  lookAtWords(recording, word.nwTos, 2);
  for (const { field } of bridge.options) lookAtField(recording, field);
}

function findRoute(
  { packet, passage: { node } }: Translation,
  { source, destination }: OuterHeader,
): Route | undefined {
  const mark = packet.key[word.pktMark] ?? 0;
  if (
    source !== 0n &&
    !isLocalSource(
      node.bridges.flatMap(({ addresses }) => addresses),
      source,
      mark,
      node.behaviour,
    )
  )
    return undefined;
  const route = routeTo(node.routes, destination, mark);
  if (
    source !== 0n &&
    !isIpv4Address(source) &&
    node.behaviour.localRoutes === 'none' &&
    route?.source !== source
  )
    throw new Unsupported(
      'the model does not know tunnels from a tun_ipv6_src that Open vSwitch before 3.4 does ' +
        'not look at',
    );
  return route;
}

/** What was cut off of it would be missing in what is sent next, wherever that goes. */
function stayBehind(at: Translation, cutOff: number, why: string): void {
  if (cutOff > 0)
    throw new Unsupported(
      'the model does not follow a packet behind an output(max_len) that sends nothing: Open ' +
        'vSwitch cuts the next copy instead',
    );
  noteDrop(at, why);
}

/**
 * The packet is lost; the next one may not be.
 * @throws Unsupported where addresses are learned at the same time: before 4.0 what is cached is
 *   then translated anew, and asks again.
 */
function askFor(at: Translation, below: ModelBridge, route: Route, next: bigint): void {
  const { node } = at.passage;
  keepNothing(at, 'a neighbour that nobody knows yet');
  if (!asksNow(node, below, next)) return;
  const known = countLearned(node);
  const near = below.addresses.find(
    ({ address, block }) =>
      isIpv4Address(address) === isIpv4Address(next) && blockContains(block, next),
  );
  at.recirculate({
    bridge: below,
    table: 0,
    packet: arriving(
      question(below.plan.mac, near?.address ?? route.source, next),
      reservedPorts.LOCAL,
    ),
    actions: [],
    stack: [],
    mirrored: 0,
  });
  if (node.behaviour.neighbourPatienceMs === 0 && countLearned(node) !== known)
    throw new Unsupported(
      'the model does not know how often Open vSwitch before 4.0 asks for a neighbour while ' +
        'addresses are learned',
    );
}

function countLearned({ bridges }: ModelNode): number {
  return bridges.reduce((sum, { macs }) => sum + macs.size, 0);
}

/** A packet that was cut off is read anew on the underlay's bridge. */
function comeInAnew(at: Translation, bridge: ModelBridge, packet: Packet): void {
  leaveToDatapath(at, 'output-truncated', () => {
    refuseChanged(at, 'a tunnel that it enters');
    at.recirculate({ bridge, table: 0, packet, actions: [], stack: [], mirrored: 0 });
  });
}

/** On the underlay's bridge it goes on as from a patch port; the datapath has a copy for it. */
function goBelow(
  at: Translation,
  below: ModelBridge,
  packet: Packet,
  envelope: Envelope,
  inner: Pick<Packet, 'frame' | 'layout' | 'arrived'>,
): void {
  const { datapath, sideEffects, bytes, recording } = at;
  const { frame: before, hash } = packet;
  const events = recording?.events ?? [];
  if (recording !== undefined) recording.events = [];
  Object.assign(at, {
    datapath: [],
    sideEffects: 'none',
    bytes: bytes + packet.frame.length - at.packet.frame.length,
  });
  passOn(at, below, reservedPorts.LOCAL, packet);
  const actions = at.datapath;
  Object.assign(at, { datapath, sideEffects, bytes });
  const inside = recording?.events ?? [];
  if (recording !== undefined) recording.events = events;
  const ports = inside.flatMap((event) => (event.kind === 'output' ? [event.port] : []));
  leaveToDatapath(
    at,
    ports.length === inside.length
      ? { kind: 'encapsulate', envelope, ports }
      : 'an underlay that does more than send',
    () => {
      const {
        carried,
        passage: {
          node: { behaviour },
        },
      } = at;
      if (carried.inside !== undefined) refuseChanged(at, 'another tunnel');
      const isSame = carried.changes.length === 0;
      if (!isSame) refusePutOff(envelope, true, behaviour);
      at.carried = {
        changes: [],
        tracked: undefined,
        inside: isSame
          ? undefined
          : { before, after: wrap(bytesOf(inner, carried, behaviour).frame, hash, envelope) },
      };
      execute(actions);
      at.carried = carried;
    },
  );
}

/**
 * A packet that leaves through the port of a bridge's own addresses: what it tells of neighbours is
 * believed, and where it ends a tunnel, that of which it is the end is returned. Its changes are in
 * its bytes.
 */
export function arriveBelow(at: Translation): TunnelConfig | undefined {
  const {
    bridge,
    packet: { key },
    passage: { node },
  } = at;
  if (bridge.addresses.length === 0) return undefined;
  lookAtNeighbour(at);
  const ended = endedBy(node.bridges, node.tunnels(), key);
  const heard =
    ended === undefined
      ? heardOf(
          key,
          bridge.addresses.map(({ address }) => address),
        )
      : { address: ipSource(key), mac: macOf(key, word.ethSrc) };
  if (heard !== undefined && at.sideEffects === 'all')
    learnNeighbour(node, bridge, heard.address, heard.mac);
  return ended;
}

/** Who sent it to whom, and of questions and answers about neighbours everything. */
function lookAtNeighbour({ recording, packet: { key } }: Translation): void {
  if (recording === undefined) return;
  recording.depends = 'on what was learned';
  if (!isIp(key[word.ethType] ?? 0) || key[word.nwProto] === ipProtocols.icmp6)
    return lookAtFrame(recording);
  lookAtWords(recording, word.ethSrc, 4);
  lookAtWords(recording, word.nwSrc, word.ipv6Label - word.nwSrc);
  lookAtWords(recording, word.tpDst);
}

/** What is inside goes on at its tunnel's port. */
export function takeOff(
  run: Execution,
  ended: TunnelConfig,
  { frame, layout, padding }: Pick<Packet, 'frame' | 'layout' | 'padding'>,
): void {
  const { node, steps } = run.passage;
  const inner = unwrap(frame, layout, padding, ended);
  if (inner === undefined || inner.frame.length < shortestFrame)
    return void steps.push({ kind: 'drop', why: `what a ${ended.type} tunnel carries is broken` });
  const port = receiverOf(node.tunnels(), {
    config: ended,
    source: inner.source,
    destination: inner.destination,
    id: inner.id,
  });
  if (port === undefined)
    return void steps.push({
      kind: 'drop',
      why:
        `no ${ended.type} tunnel is for key ${inner.id} from ${formatAddress(inner.source)} ` +
        `to ${formatAddress(inner.destination)}`,
    });
  const packet = arrivedThrough(port, inner);
  if (
    decodeOptions(inner.options ?? new Uint8Array(), packet.key, port.bridge.options) === 'refused'
  )
    return void steps.push({
      kind: 'drop',
      why: 'a tunnel option that must be known, or of another length',
    });
  run.recirculate({ bridge: port.bridge, table: 0, packet, actions: [], stack: [], mirrored: 0 });
}

const shortestFrame = 14;

function arrivedThrough(
  { ofport }: TunnelPort,
  { frame, source, destination, id, tos, ttl, isOam = false }: Unwrapped,
): Packet {
  const packet = arriving(frame, ofport);
  setTunnelSource(packet.key, source);
  setTunnelDestination(packet.key, destination);
  packet.key[word.tunId + 1] = Number(id);
  packet.key[word.tunTos] = tos;
  packet.key[word.tunTtl] = ttl;
  packet.key[word.tunFlags] = isOam ? 1 : 0;
  return { ...packet, isResized: true, cameTo: destination };
}
