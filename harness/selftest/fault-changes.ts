/** Changes of flows and frames that faults make. */
import type { BridgePlan } from '../domain/plan/bridge-plan.js';
import { assert } from '../base/errors/errors.js';
import type { CtAction, Action } from '../openflow/actions/action.js';
import type { Flow } from '../openflow/flows/flow.js';
import { encodeIpv4, ipProtocols } from '../packet/protocols/ip/ipv4.js';
import { decodeEthernet, encodeEthernet, etherTypes } from '../packet/protocols/link/ethernet.js';
import { encodeUdp } from '../packet/protocols/transport/udp.js';
import { decodeArp, arpOperations } from '../packet/protocols/link/arp.js';

/** TTL and header checksum of IPv4 behind an untagged Ethernet header. */
export const timeToLive: readonly number[] = [22, 24, 25];

export function withCt(flow: Flow, change: (ct: CtAction) => CtAction): Flow {
  return {
    ...flow,
    actions: flow.actions.map((action): Action => (action.kind === 'ct' ? change(action) : action)),
  };
}

/** A frame of a local experimental type, so that no flow for ARP or IP takes it. */
export function frameOf(src: string, dst: string): Uint8Array {
  return encodeEthernet({ src, dst, etherType: 0x88b5 }, new Uint8Array(46));
}

/** From nobody to nobody, and nobody listens. */
export const datagram = encodeEthernet(
  { src: '0a:00:00:00:00:01', dst: '0a:00:00:00:00:02', etherType: etherTypes.ipv4 },
  encodeIpv4(
    { src: '192.0.2.1', dst: '192.0.2.2', protocol: ipProtocols.udp, ttl: 64 },
    encodeUdp({ srcPort: 49152, dstPort: 9 }, new Uint8Array(8), {
      src: '192.0.2.1',
      dst: '192.0.2.2',
    }),
  ),
);

export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

/** The address that the first endpoint port's pod must send from, as SpoofGuard has it. */
export function firstPodMac(bridge: BridgePlan): string {
  const [, mac] =
    bridge.flows
      .map((flow) => /^table=10,.*,dl_src=([0-9a-f:]+),/.exec(flow))
      .find((match) => match !== null) ?? [];
  assert(mac !== undefined, `${bridge.name} checks no pod's address`);
  return mac;
}

export function isArpReply(frame: Uint8Array): boolean {
  const ethernet = decodeEthernet(frame);
  return (
    ethernet?.header.etherType === etherTypes.arp &&
    decodeArp(ethernet.payload)?.op === arpOperations.reply
  );
}

/** The sender's IP address stands at bytes 28 to 31 of an ARP frame. */
export function withByteFlipped(frame: Uint8Array, place: number): Uint8Array {
  return frame.map((byte, index) => (index === place ? byte ^ 0x40 : byte));
}

export function sets(flow: Flow, field: string): boolean {
  return flow.actions.some((action) => action.kind === 'set' && action.field.name === field);
}

export function matches(flow: Flow, field: string): boolean {
  return flow.match.some((part) => part.field.matchName === field);
}

export function withValue(flow: Flow, field: string, change: (value: bigint) => bigint): Flow {
  assert(sets(flow, field), `the flow does not set ${field}`);
  return {
    ...flow,
    actions: flow.actions.map(
      (action): Action =>
        action.kind === 'set' && action.field.name === field
          ? { ...action, value: change(action.value) }
          : action,
    ),
  };
}
