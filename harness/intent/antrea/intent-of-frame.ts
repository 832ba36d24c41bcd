import { macBytes } from '../../base/addresses/mac-and-ipv4.js';
import { Unsupported, assertNever } from '../../base/errors/errors.js';
import type { Intent } from '../../domain/intent.js';
import type { AntreaNetwork } from '../../../topologies/antrea/antrea-topology.js';
import type { FrameSpec, PayloadSpec } from '../../domain/test-vector.js';
import { hostWithAddress, clusterHosts, subnetNode } from '../kubernetes/cluster-hosts.js';
import { type ClusterHost } from '../../domain/cluster-host.js';
import { misdirectedIntent } from './misdirected.js';
import { globalVirtualMac } from './arp.js';

type ArpSpec = Extract<PayloadSpec, { readonly kind: 'arp' }>;
type DatagramSpec = Extract<PayloadSpec, { readonly kind: 'udp' | 'tcp' | 'echo-request' }>;

const broadcastMac = 'ff:ff:ff:ff:ff:ff';

/**
 * A frame that `from` puts on the wire past its stack: lies are blocked. Undefined for truthful
 * ones, which get what the stack's own get.
 */
export function intentOfFrame(
  topology: AntreaNetwork,
  from: ClusterHost,
  { src, dst, payload }: FrameSpec,
): Intent | undefined {
  const misdirected = misdirectedIntent(topology, from, { src, dst, payload });
  if (misdirected !== undefined) return misdirected;
  const ethernet = { src: src.toLowerCase(), dst: dst.toLowerCase() };
  switch (payload.kind) {
    case 'other':
      return intentOfOther(payload.etherType);
    case 'arp':
      return intentOfArpFrame(topology, from, ethernet, payload);
    case 'neighbour-advertisement':
      throw new Unsupported('nothing is promised about neighbour advertisements that a pod writes');
    case 'udp':
    case 'tcp':
    case 'echo-request':
      return intentOfIpFrame(topology, from, ethernet, payload);
    default:
      return assertNever(payload);
  }
}

interface EthernetAddresses {
  readonly src: string;
  readonly dst: string;
}

/**
 * The seed, "L2ForwardingCalcTable": "Traffic which is non-ARP and non-IP … is actually dropped".
 */
function intentOfOther(etherType: number): Intent {
  const name = `EtherType 0x${etherType.toString(16).padStart(4, '0')}`;
  if (etherType === 0x0800 || etherType === 0x0806)
    throw new Unsupported(`nothing is promised about raw bytes as ${name}: say what they are`);
  return blocked(`${name} is neither IPv4 nor ARP`);
}

/**
 * The seed, "SpoofGuardTable": a pod and the gateway advertise their own addresses only. That is
 * about the addresses within ARP; nothing is said about a true advertisement in a frame with
 * another source.
 */
function intentOfArpFrame(
  topology: AntreaNetwork,
  from: ClusterHost,
  ethernet: EthernetAddresses,
  arp: ArpSpec,
): Intent | undefined {
  if (arp.spa !== from.ip)
    return blocked(`${from.name} advertises ${arp.spa}, which is not its address`);
  if (arp.sha.toLowerCase() !== from.mac)
    return blocked(`${from.name} advertises ${arp.sha}, which is not its MAC`);
  if (ethernet.src !== from.mac)
    throw new Unsupported(
      `nothing is promised about truthful ARP of ${from.name} in a frame from ${ethernet.src}`,
    );
  const target = hostWithAddress(topology, arp.tpa);
  const readers = target?.node === from.node ? [broadcastMac, target.mac] : [broadcastMac];
  if (arp.op !== 'request' || !readers.includes(ethernet.dst))
    throw new Unsupported(
      `nothing is promised about an ARP ${arp.op} for ${arp.tpa} sent to ${ethernet.dst}`,
    );
  return undefined;
}

/**
 * A pod sends IP with its own addresses only; what the gateway sends is not checked (the seed,
 * "SpoofGuardTable"). Within the subnet and out of the cluster group addresses are dropped, and so
 * is what goes to a MAC that nobody has ("L2ForwardingCalcTable"). To a peer's subnet the
 * destination MAC does not matter, even that of a group ("L3ForwardingTable": "All traffic destined
 * to a remote Pod … thus skipping L2ForwardingCalcTable").
 */
function intentOfIpFrame(
  topology: AntreaNetwork,
  from: ClusterHost,
  ethernet: EthernetAddresses,
  ip: DatagramSpec,
): Intent | undefined {
  if (from.kind === 'pod' && ethernet.src !== from.mac)
    return blocked(`${from.name} sends from ${ethernet.src}, which is not its MAC`);
  if (from.kind === 'pod' && ip.src !== from.ip)
    return blocked(`${from.name} sends from ${ip.src}, which is not its address`);
  const toNode = subnetNode(topology, ip.dst);
  const acrossNodes = toNode !== undefined && toNode !== from.node;
  if (!acrossNodes && isGroup(ethernet.dst))
    return blocked(`an IP packet to the group address ${ethernet.dst}`);
  if (!acrossNodes && !macsOn(topology, from).includes(ethernet.dst))
    return {
      ...blocked(`nobody on ${from.node.name} has the MAC ${ethernet.dst}`),
      ...(clusterHosts(topology).some(({ mac }) => mac === ethernet.dst)
        ? {}
        : { unheld: ethernet.dst }),
    };
  const target = hostWithAddress(topology, ip.dst);
  if (ip.src !== from.ip)
    throw new Unsupported(
      `nothing is promised about answers to ${ip.src}, which ${from.name} sends from but does ` +
        'not hold',
    );
  if (!acrossNodes && target !== undefined && target.mac !== ethernet.dst)
    throw new Unsupported(
      `nothing is promised about a packet for ${target.name} that is sent to ${ethernet.dst}`,
    );
  return ip.kind === 'tcp' ? intentOfInvalid(ip) : undefined;
}

/** A segment of no connection that could not belong to one from before: it is invalid. */
function intentOfInvalid({
  flags,
  checksum,
}: Extract<PayloadSpec, { readonly kind: 'tcp' }>): Intent | undefined {
  const named = [...flags].sort().join(' ');
  if (checksum === 'wrong') return blocked('a TCP segment with a wrong checksum');
  return named === 'ACK SYN' || named === 'FIN SYN'
    ? blocked(`a segment with ${flags.join(' and ')} opens no connection and belongs to none`)
    : undefined;
}

/** The destinations that the switch of the sender's node knows. */
function macsOn(topology: AntreaNetwork, from: ClusterHost): readonly string[] {
  return [
    globalVirtualMac,
    ...clusterHosts(topology)
      .filter(({ node }) => node === from.node)
      .map(({ mac }) => mac),
  ];
}

function isGroup(mac: string): boolean {
  return ((macBytes(mac)[0] ?? 0) & 1) === 1;
}

function blocked(why: string): Intent {
  return { kind: 'blocked', why };
}
