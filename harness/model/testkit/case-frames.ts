/** The frames of cases.ts, and how their results are printed. */
import type { ControllerPlan } from '../../domain/plan/bridge-plan.js';
import type { FlowCount, SwitchStep } from '../../domain/switching.js';
import { encodeEthernet, etherTypes } from '../../packet/protocols/link/ethernet.js';
import { concatBytes } from '../../packet/bytes/header-layout.js';
import { encodeIpv4, ipProtocols } from '../../packet/protocols/ip/ipv4.js';
import { encodeTcp } from '../../packet/protocols/transport/tcp.js';
import { encodeUdp } from '../../packet/protocols/transport/udp.js';
import type { FrameName } from './cases.js';

const addresses = { src: '10.0.0.1', dst: '10.0.0.2' };
const ethernet = (etherType: number, payload: Uint8Array) =>
  encodeEthernet({ src: '0a:00:00:00:00:01', dst: '0a:00:00:00:00:02', etherType }, payload);
const udp = (ttl = 64, length = 20) =>
  encodeIpv4(
    { ...addresses, protocol: ipProtocols.udp, ttl },
    encodeUdp({ srcPort: 4000, dstPort: 53 }, new Uint8Array(length), addresses),
  );
const tcp = encodeTcp(
  {
    srcPort: 4000,
    dstPort: 80,
    sequence: 1,
    acknowledgement: 0,
    flags: 2,
    window: 9,
    urgentPointer: 0,
    options: new Uint8Array(),
  },
  new Uint8Array(),
  addresses,
);
const labels = (...entries: readonly number[]) =>
  Uint8Array.from(
    entries.flatMap((entry) => [
      entry >>> 24,
      (entry >>> 16) & 0xff,
      (entry >>> 8) & 0xff,
      entry & 0xff,
    ]),
  );

export const frames: Readonly<Record<FrameName, Uint8Array>> = {
  udp: ethernet(etherTypes.ipv4, udp()),
  'ttl 1': ethernet(etherTypes.ipv4, udp(1)),
  long: ethernet(etherTypes.ipv4, udp(64, 200)),
  'of 1,514 bytes': ethernet(etherTypes.ipv4, udp(64, 1472)),
  tcp: ethernet(
    etherTypes.ipv4,
    encodeIpv4({ ...addresses, protocol: ipProtocols.tcp, ttl: 64 }, tcp),
  ),
  padded: concatBytes(ethernet(etherTypes.ipv4, udp()), new Uint8Array(9)),
  'behind an extension': ethernet(
    etherTypes.ipv6,
    concatBytes(
      Uint8Array.of(0x60, 0, 0, 0, 0, 28, 0, 64),
      new Uint8Array(31).fill(7),
      Uint8Array.of(8),
      Uint8Array.of(17, 0, 1, 4, 0, 0, 0, 0),
      Uint8Array.of(0x0f, 0xa0, 0, 53, 0, 20, 0, 0),
      new Uint8Array(12),
    ),
  ),
  label: ethernet(etherTypes.mpls, concatBytes(labels(0x5140), udp(1))),
};

export const controllers: readonly ControllerPlan[] = [
  { id: 0, paused: 'resumed' },
  { id: 7, paused: 'kept' },
];

/** As `packetIns` of a case has it. */
export function printPacketIns({ packetIns = [] }: SwitchStep): readonly string[] {
  return packetIns.map(
    ({ controller, reason, table, cookie, metadata, userdata, paused }) =>
      `${controller} ${reason} ${table} ${cookie} ${metadata} ` +
      `[${userdata.join()}]${paused ? ' waits' : ''}`,
  );
}

/** As `gives` of a case has it. */
export function printStep(
  { outputs }: SwitchStep,
  frame: Uint8Array,
  counts: readonly FlowCount[],
): string {
  const ports = outputs.map(
    (output) => `${output.port}${Buffer.compare(output.frame, frame) === 0 ? '' : '!'}`,
  );
  const flows = counts
    .filter(({ packets }) => packets > 0)
    .map(({ flow, packets }) => `${flow.table}/${flow.priority}:${packets}`);
  return `${ports.join(' ')} | ${flows.sort().join(' ')}`;
}
