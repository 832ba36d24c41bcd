/** Tunnels that the switch encapsulates itself (ofproto-dpif-xlate.c, native_tunnel_output). */
import { formatAddress, isIpv4Address } from '../../../base/addresses/ip-address.js';
import { Unsupported } from '../../../base/errors/errors.js';
import { reservedPorts } from '../../../openflow/syntax/ports.js';
import { word } from '../../../packet/flow-key/flow-key.js';
import { bridgeNamed } from '../../model-node.js';
import type { ModelBridge } from '../../model-bridge.js';
import { unwildcardField, unwildcardWords } from '../../megaflow/unwildcard.js';
import type { Packet } from '../../packet/packet.js';
import { parsePacket } from '../../packet/parse-packet.js';
import { findNeighbour } from '../../tunnels/tunnel-neighbours.js';
import { writeOuterToKey, outerOf, type OuterHeader } from '../../tunnels/outer-header.js';
import type { TunnelPort } from '../../tunnels/tunnel-ports.js';
import { isLocalSource, routeTo, type Route } from '../../tunnels/routes.js';
import {
  tunnelHeaderOf,
  refuseLateChecksum,
  encapsulate,
  type TunnelHeader,
} from '../../tunnels/encapsulate.js';
import { ethernetBytes } from '../../tunnels/encapsulation.js';
import { encapsulatedPacket } from '../../tunnels/encapsulated-packet.js';
import { datapathBytes, refuseNatted } from '../datapath/datapath-packet.js';
import { xlateInBridge } from '../patch-port-output.js';
import type { TunnelConfig } from '../../tunnels/tunnel-config.js';
import type { XlateContext } from '../xlate-context.js';
import { commitChanges, putOdpAction } from '../odp-actions.js';
import { traceDrop } from '../trace-steps.js';
import { executeActions } from '../datapath/datapath-execution.js';
import { solicitNeighbour } from './solicit-neighbour.js';

/**
 * @param length `whole`, or how many of the packet's last bytes stay behind: where a length is
 *   asked for, also one that is longer than the packet, what goes into the tunnel is reparsed.
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
  const header = { ...outer, source: outer.source === 0n ? route.source : outer.source };
  pushTunnel(ctx, { config, header, underlay, mac }, length);
}

/** The outer header is known, and the neighbour on the underlay: the packet goes there. */
function pushTunnel(
  ctx: XlateContext,
  {
    config,
    header,
    underlay,
    mac,
  }: {
    readonly config: TunnelConfig;
    readonly header: OuterHeader;
    readonly underlay: ModelBridge;
    readonly mac: string;
  },
  length: 'whole' | number,
): void {
  const { packet, frameRun } = ctx;
  const { behaviour } = frameRun.node;
  const link = { src: underlay.plan.mac, dst: mac };
  if (isIpv4Address(header.source) !== isIpv4Address(header.destination))
    throw new Unsupported(
      'the model does not know tunnels between addresses of different families',
    );
  const { options } = ctx.bridge;
  const tunnelHeader = tunnelHeaderOf(packet.key, config, header, options, link, behaviour);
  refuseLateChecksum(tunnelHeader, packet.isRewritten, behaviour);
  const frame = encapsulate(
    packet.frame.subarray(0, packet.frame.length - (length === 'whole' ? 0 : length)),
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
    encapsulatedPacket(packet, frame, tunnelHeader, behaviour),
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
        'not read',
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

/** A packet that was cut off is reparsed on the underlay's bridge. */
function recirculateTruncated(ctx: XlateContext, bridge: ModelBridge, packet: Packet): void {
  putOdpAction(ctx, 'output-truncated', () => {
    ctx.frameRun.node.work.encapsulations++;
    refuseNatted(ctx, 'a tunnel that it enters');
    ctx.recirculate({ bridge, table: 0, packet, actions: [], stack: [], mirrored: 0 });
  });
}

/** On the underlay's bridge it continues as from a patch port; the datapath has a copy for it. */
function xlateUnderlay(
  ctx: XlateContext,
  underlay: ModelBridge,
  packet: Packet,
  tunnelHeader: TunnelHeader,
  inner: Pick<Packet, 'frame' | 'layout' | 'baseKey'>,
): void {
  const { odpActions, sideEffects, bytes, megaflow } = ctx;
  const { frame: before, hash } = packet;
  // Open vSwitch counts the headers that it pushes, and not the one that it pops before.
  const left = tunnelHeader.config.carries === 'packets' ? ethernetBytes : 0;
  const more = packet.frame.length - ctx.packet.frame.length + left;
  const events = megaflow?.events ?? [];
  if (megaflow !== undefined) megaflow.events = [];
  Object.assign(ctx, {
    odpActions: [],
    sideEffects: 'none',
    bytes: bytes + more,
  });
  xlateInBridge(ctx, underlay, reservedPorts.LOCAL, packet);
  const actions = ctx.odpActions;
  Object.assign(ctx, { odpActions, sideEffects, bytes });
  ctx.outerBytes += more;
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
      ctx.frameRun.node.work.encapsulations++;
      if (packetState.tunnelPayload !== undefined) refuseNatted(ctx, 'another tunnel');
      const isSame = packetState.changes.length === 0;
      if (!isSame) refuseLateChecksum(tunnelHeader, true, behaviour);
      ctx.packetState = {
        changes: [],
        tracked: undefined,
        cutOff: 0,
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
