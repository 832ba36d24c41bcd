/** Where tunnels end (Open vSwitch ofproto/ofproto-dpif-xlate.c, terminate_native_tunnel). */
import { formatAddress } from '../../../base/addresses/ip-address.js';
import { isIp, word } from '../../../packet/flow-key/flow-key.js';
import { ipProtocols } from '../../../packet/protocols/ip/ipv4.js';
import { decodeOptions } from '../../fields/tunnel-options.js';
import { unwildcardFrame, unwildcardWords } from '../../megaflow/unwildcard.js';
import type { Packet } from '../../packet/packet.js';
import { parsePacket } from '../../packet/parse-packet.js';
import { setTunnelDestination, setTunnelSource } from '../../tunnels/tunnel-addresses.js';
import type { TunnelConfig } from '../../tunnels/tunnel-config.js';
import { snoopedNeighbour } from '../../tunnels/neighbour-discovery.js';
import { learnNeighbour } from '../../tunnels/tunnel-neighbours.js';
import { findTunnelPort, type TunnelPort } from '../../tunnels/tunnel-ports.js';
import {
  terminatingTunnel,
  ipSource,
  macOf,
  decapsulate,
  type DecapsulatedPacket,
} from '../../tunnels/decapsulate.js';
import type { XlateContext } from '../xlate-context.js';
import type { DatapathExecution } from '../datapath/datapath-execution.js';

/**
 * A packet that leaves through the port of a bridge's own addresses: the neighbours that it
 * announces are learned, and where it ends at a tunnel, that tunnel is returned. Its changes are in
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

/** What is inside continues at its tunnel's port. */
export function tunnelPop(
  run: DatapathExecution,
  tunnelEnd: TunnelConfig,
  { frame, layout, padding }: Pick<Packet, 'frame' | 'layout' | 'padding'>,
): void {
  const { node, steps } = run.frameRun;
  node.work.decapsulations++;
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
  { ofport, config }: TunnelPort,
  { frame, source, destination, id, tos, ttl, isOam = false }: DecapsulatedPacket,
): Packet {
  const packet = parsePacket(frame, ofport);
  setTunnelSource(packet.key, source);
  setTunnelDestination(packet.key, destination);
  packet.key[word.tunId + 1] = Number(id);
  packet.key[word.tunTos] = tos;
  packet.key[word.tunTtl] = ttl;
  packet.key[word.tunFlags] = isOam ? 1 : 0;
  const lacks = config.carries === 'packets' ? ({ lacksEthernet: true } as const) : {};
  return { ...packet, ...lacks, isResized: true, tunnelDst: destination };
}
