/**
 * Tunnels that the switch carries out itself (Open vSwitch ofproto/ofproto-dpif-xlate.c,
 * native_tunnel_output and terminate_native_tunnel).
 */
import { blockContains, formatAddress, isIpv4Address } from '../../../base/addresses/ip-address.js';
import { Unsupported } from '../../../base/errors/errors.js';
import { reservedPorts } from '../../../openflow/syntax/ports.js';
import { isIp, word } from '../../../packet/flow-key/flow-key.js';
import { ipProtocols } from '../../../packet/protocols/ip/ipv4.js';
import { bridgeNamed, type ModelNode } from '../../model-node.js';
import type { ModelBridge } from '../../model-bridge.js';
import { decodeOptions } from '../../fields/tunnel-options.js';
import { unwildcardField, unwildcardFrame, unwildcardWords } from '../../megaflow/unwildcard.js';
import { parsePacket, type Packet } from '../../packet.js';
import { setTunnelDestination, setTunnelSource } from '../../tunnels/tunnel-addresses.js';
import type { TunnelConfig } from '../../tunnels/tunnel-config.js';
import { snoopedNeighbour, neighbourRequest } from '../../tunnels/neighbour-discovery.js';
import { shouldSolicit, findNeighbour, learnNeighbour } from '../../tunnels/tunnel-neighbours.js';
import { writeOuterToKey, outerOf, type OuterHeader } from '../../tunnels/outer-header.js';
import { findTunnelPort, type TunnelPort } from '../../tunnels/tunnel-ports.js';
import { isLocalSource, routeTo, type Route } from '../../tunnels/routes.js';
import {
  terminatingTunnel,
  ipSource,
  macOf,
  decapsulate,
  type DecapsulatedPacket,
} from '../../tunnels/decapsulate.js';
import {
  tunnelHeaderOf,
  refuseLateChecksum,
  encapsulate,
  encapsulatedPacket,
  type TunnelHeader,
} from '../../tunnels/encapsulate.js';
import { datapathBytes, refuseNatted } from '../datapath/datapath-packet.js';
import { xlateInBridge } from '../patch-port-output.js';
import {
  commitChanges,
  executeActions,
  avoidCaching,
  putOdpAction,
  traceDrop,
  type DatapathExecution,
  type XlateContext,
} from '../xlate-context.js';

/**
 * @param length `whole`, or how many of the packet's last bytes stay behind: where a length is
 *   asked for, also one that is longer than the packet, what goes into the tunnel is read anew.
 */
export function nativeTunnelOutput(
  ctx: XlateContext,
  { config }: TunnelPort,
  length: 'whole' | number,
): void {
  const cutOff = length === 'whole' ? 0 : length;
  const {
    packet,
    frameRun: { node },
  } = ctx;
  unwildcardTunnel(ctx);
  const outer = outerOf(config, packet.key, node.behaviour);
  if (config.mark !== undefined) packet.key[word.pktMark] = config.mark;
  if (outer.destination === ctx.origTunnelDst) {
    writeOuterToKey(packet.key, outer);
    if (ctx.bridge.mirrors.length > 0)
      throw new Unsupported(
        'the model does not know what mirrors show of a packet that a tunnel does not take',
      );
    return dropAtTunnel(
      ctx,
      cutOff,
      outer.destination === 0n
        ? 'tunnel without tun_dst'
        : 'a packet is not tunnelled to the address that it came to through a tunnel',
    );
  }
  commitChanges(ctx);
  const route = findRoute(ctx, outer);
  if (route === undefined)
    return dropAtTunnel(ctx, cutOff, `no route to ${formatAddress(outer.destination)}`);
  const underlay = bridgeNamed(node, route.bridge);
  const next = route.gateway ?? outer.destination;
  const mac = findNeighbour(node, underlay, next);
  if (mac === undefined) {
    dropAtTunnel(ctx, cutOff, `nobody knows yet where ${formatAddress(next)} is`);
    return solicitNeighbour(ctx, underlay, route, next);
  }
  const link = { src: underlay.plan.mac, dst: mac };
  const header = { ...outer, source: outer.source === 0n ? route.source : outer.source };
  if (isIpv4Address(header.source) !== isIpv4Address(header.destination))
    throw new Unsupported(
      'the model does not know tunnels between addresses of different families',
    );
  const tunnelHeader = tunnelHeaderOf(packet.key, config, header, ctx.bridge.options, link);
  refuseLateChecksum(tunnelHeader, packet.isRewritten, node.behaviour);
  const frame = encapsulate(
    packet.frame.subarray(0, packet.frame.length - cutOff),
    packet.hash,
    tunnelHeader,
  );
  if (ctx.isLastAction) ctx.isIrreversible = true;
  if (length !== 'whole')
    return recirculateTruncated(ctx, underlay, {
      ...parsePacket(frame, reservedPorts.LOCAL),
      isResized: true,
      hash: packet.hash,
    });
  xlateUnderlay(
    ctx,
    underlay,
    encapsulatedPacket(packet, frame, tunnelHeader, node.behaviour),
    tunnelHeader,
    {
      frame: packet.frame,
      layout: packet.layout,
      baseKey: packet.baseKey,
    },
  );
}

/** What the outer header is made of, and whether anybody knows where it goes. */
function unwildcardTunnel({ megaflow, bridge }: XlateContext): void {
  if (megaflow === undefined) return;
  megaflow.dependsOn = 'on what was learned';
  unwildcardWords(megaflow, word.tunId, word.tunTos - word.tunId);
  unwildcardWords(megaflow, word.nwTos, 2);
  for (const { field } of bridge.options) unwildcardField(megaflow, field);
}

function findRoute(
  { packet, frameRun: { node } }: XlateContext,
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
function dropAtTunnel(ctx: XlateContext, cutOff: number, why: string): void {
  if (cutOff > 0)
    throw new Unsupported(
      'the model does not follow a packet behind an output(max_len) that sends nothing: Open ' +
        'vSwitch cuts the next copy instead',
    );
  traceDrop(ctx, why);
}

/**
 * The packet is lost; the next one may not be.
 * @throws Unsupported where addresses are learned at the same time: before 4.0 what is cached is
 *   then translated anew, and asks again.
 */
function solicitNeighbour(
  ctx: XlateContext,
  underlay: ModelBridge,
  route: Route,
  next: bigint,
): void {
  const { node } = ctx.frameRun;
  avoidCaching(ctx, 'a neighbour that nobody knows yet');
  if (!shouldSolicit(node, underlay, next)) return;
  const known = countLearned(node);
  const near = underlay.addresses.find(
    ({ address, block }) =>
      isIpv4Address(address) === isIpv4Address(next) && blockContains(block, next),
  );
  ctx.recirculate({
    bridge: underlay,
    table: 0,
    packet: parsePacket(
      neighbourRequest(underlay.plan.mac, near?.address ?? route.source, next),
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
function recirculateTruncated(ctx: XlateContext, bridge: ModelBridge, packet: Packet): void {
  putOdpAction(ctx, 'output-truncated', () => {
    refuseNatted(ctx, 'a tunnel that it enters');
    ctx.recirculate({ bridge, table: 0, packet, actions: [], stack: [], mirrored: 0 });
  });
}

/** On the underlay's bridge it goes on as from a patch port; the datapath has a copy for it. */
function xlateUnderlay(
  ctx: XlateContext,
  underlay: ModelBridge,
  packet: Packet,
  tunnelHeader: TunnelHeader,
  inner: Pick<Packet, 'frame' | 'layout' | 'baseKey'>,
): void {
  const { odpActions, sideEffects, bytes, megaflow } = ctx;
  const { frame: before, hash } = packet;
  const events = megaflow?.events ?? [];
  if (megaflow !== undefined) megaflow.events = [];
  Object.assign(ctx, {
    odpActions: [],
    sideEffects: 'none',
    bytes: bytes + packet.frame.length - ctx.packet.frame.length,
  });
  xlateInBridge(ctx, underlay, reservedPorts.LOCAL, packet);
  const actions = ctx.odpActions;
  Object.assign(ctx, { odpActions, sideEffects, bytes });
  const innerEvents = megaflow?.events ?? [];
  if (megaflow !== undefined) megaflow.events = events;
  const ports = innerEvents.flatMap((event) => (event.kind === 'output' ? [event.port] : []));
  putOdpAction(
    ctx,
    ports.length === innerEvents.length
      ? { kind: 'encapsulate', envelope: tunnelHeader, ports }
      : 'an underlay that does more than send',
    () => {
      const {
        packetState,
        frameRun: {
          node: { behaviour },
        },
      } = ctx;
      if (packetState.tunnelPayload !== undefined) refuseNatted(ctx, 'another tunnel');
      const isSame = packetState.changes.length === 0;
      if (!isSame) refuseLateChecksum(tunnelHeader, true, behaviour);
      ctx.packetState = {
        changes: [],
        tracked: undefined,
        tunnelPayload: isSame
          ? undefined
          : {
              before,
              after: encapsulate(
                datapathBytes(inner, packetState, behaviour).frame,
                hash,
                tunnelHeader,
              ),
            },
      };
      executeActions(actions);
      ctx.packetState = packetState;
    },
  );
}

/**
 * A packet that leaves through the port of a bridge's own addresses: what it tells of neighbours is
 * believed, and where it ends a tunnel, that of which it is the end is returned. Its changes are in
 * its bytes.
 */
export function terminateTunnel(ctx: XlateContext): TunnelConfig | undefined {
  const {
    bridge,
    packet: { key },
    frameRun: { node },
  } = ctx;
  if (bridge.addresses.length === 0) return undefined;
  unwildcardNeighbour(ctx);
  const tunnelEnd = terminatingTunnel(node.bridges, node.tunnels(), key);
  const neighbour =
    tunnelEnd === undefined
      ? snoopedNeighbour(
          key,
          bridge.addresses.map(({ address }) => address),
        )
      : { address: ipSource(key), mac: macOf(key, word.ethSrc) };
  if (neighbour !== undefined && ctx.sideEffects === 'all')
    learnNeighbour(node, bridge, neighbour.address, neighbour.mac);
  return tunnelEnd;
}

/** Who sent it to whom, and of questions and answers about neighbours everything. */
function unwildcardNeighbour({ megaflow, packet: { key } }: XlateContext): void {
  if (megaflow === undefined) return;
  megaflow.dependsOn = 'on what was learned';
  if (!isIp(key[word.ethType] ?? 0) || key[word.nwProto] === ipProtocols.icmp6)
    return unwildcardFrame(megaflow);
  unwildcardWords(megaflow, word.ethSrc, 4);
  unwildcardWords(megaflow, word.nwSrc, word.ipv6Label - word.nwSrc);
  unwildcardWords(megaflow, word.tpDst);
}

/** What is inside goes on at its tunnel's port. */
export function tunnelPop(
  run: DatapathExecution,
  tunnelEnd: TunnelConfig,
  { frame, layout, padding }: Pick<Packet, 'frame' | 'layout' | 'padding'>,
): void {
  const { node, steps } = run.frameRun;
  const inner = decapsulate(frame, layout, padding, tunnelEnd);
  if (inner === undefined || inner.frame.length < shortestFrame)
    return void steps.push({
      kind: 'drop',
      why: `what a ${tunnelEnd.type} tunnel carries is broken`,
    });
  const port = findTunnelPort(node.tunnels(), {
    config: tunnelEnd,
    source: inner.source,
    destination: inner.destination,
    id: inner.id,
  });
  if (port === undefined)
    return void steps.push({
      kind: 'drop',
      why:
        `no ${tunnelEnd.type} tunnel is for key ${inner.id} from ${formatAddress(inner.source)} ` +
        `to ${formatAddress(inner.destination)}`,
    });
  const packet = decapsulatedPacket(port, inner);
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

function decapsulatedPacket(
  { ofport }: TunnelPort,
  { frame, source, destination, id, tos, ttl, isOam = false }: DecapsulatedPacket,
): Packet {
  const packet = parsePacket(frame, ofport);
  setTunnelSource(packet.key, source);
  setTunnelDestination(packet.key, destination);
  packet.key[word.tunId + 1] = Number(id);
  packet.key[word.tunTos] = tos;
  packet.key[word.tunTtl] = ttl;
  packet.key[word.tunFlags] = isOam ? 1 : 0;
  return { ...packet, isResized: true, tunnelDst: destination };
}
