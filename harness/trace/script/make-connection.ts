/** Connections that are there before a script begins: made by packets of their own. */
import { InputError } from '../../base/errors/errors.js';
import type { DumpedSwitch } from '../../dumps/dumped-switch.js';
import type { InitialConnection } from '../../dumps/initial-state.js';
import { encodeIpv4, ipProtocols } from '../../packet/protocols/ip/ipv4.js';
import { encodeEthernet, etherTypes } from '../../packet/protocols/link/ethernet.js';
import { encodeTcp, tcpFlags } from '../../packet/protocols/transport/tcp.js';
import { readFlow } from '../packet-stimulus.js';

export interface StateSetup {
  readonly bridge: string;
  readonly flows: readonly string[];
  readonly port: string;
  readonly frames: readonly Uint8Array[];
  readonly agoS: number;
}

/** Seconds that a connection lives with the answer that its dump does not show, and without. */
const connectionLifetimesS = { answered: 30, unanswered: 60, established: 86_400 } as const;

/**
 * Both ends begin so that the next byte of each has number 0: packets that are made of FLOW say
 * that of themselves.
 */
const firstSequence = 0xffffffff;

function handshake(
  source: string,
  { original, file, line }: InitialConnection,
): readonly Uint8Array[] {
  const [src = '', dst = ''] = [original.get('src'), original.get('dst')];
  if (src.includes(':'))
    throw new InputError(
      'connections of TCP over IPv6 cannot be given to begin with: let the script make them',
      { file, line },
    );
  const [sport, dport] = [Number(original.get('sport')), Number(original.get('dport'))];
  const segment = (
    from: string,
    to: string,
    ports: readonly [number, number],
    sequence: number,
    flags: number,
  ) => {
    const addresses = { src: from, dst: to };
    const tcp = encodeTcp(
      {
        srcPort: ports[0],
        dstPort: ports[1],
        sequence,
        acknowledgement: 0,
        flags,
        window: 0xffff,
        urgentPointer: 0,
        options: new Uint8Array(),
      },
      new Uint8Array(),
      addresses,
    );
    return encodeEthernet(
      { src: source, dst: '0e:00:00:00:ff:ff', etherType: etherTypes.ipv4 },
      encodeIpv4({ ...addresses, protocol: ipProtocols.tcp, ttl: 64 }, tcp),
    );
  };
  const { SYN, ACK } = tcpFlags;
  return [
    segment(src, dst, [sport, dport], firstSequence, SYN),
    segment(dst, src, [dport, sport], firstSequence, SYN | ACK),
    segment(src, dst, [sport, dport], 0, ACK),
  ];
}

/** A packet there, and one back where the connection was answered. */
function exchange(
  target: DumpedSwitch,
  source: string,
  { protocol, original, file, line }: InitialConnection,
  ended: 'answered' | 'unanswered',
): readonly Uint8Array[] {
  const [src = '', dst = ''] = [original.get('src'), original.get('dst')];
  const isIpv6 = src.includes(':');
  const addresses = (from: string, to: string) =>
    isIpv6 ? `ipv6_src=${from},ipv6_dst=${to}` : `nw_src=${from},nw_dst=${to}`;
  const flow = (from: string, to: string, ports: string) =>
    `${protocol === 'icmpv6' ? 'icmp6' : `${protocol}${isIpv6 ? '6' : ''}`},dl_src=${source},` +
    `dl_dst=0e:00:00:00:ff:ff,${addresses(from, to)},nw_ttl=64,${ports}`;
  const [sport, dport, id, type] = ['sport', 'dport', 'id', 'type'].map(
    (part) => original.get(part) ?? '0',
  );
  const isIcmp = protocol === 'icmp' || protocol === 'icmpv6';
  if (isIcmp && id !== undefined && id !== '0')
    throw new InputError(
      `a connection of ${protocol} with an identifier cannot be given to begin with: let the ` +
        'script make it',
      { file, line },
    );
  const icmp = (asked: string) => `${protocol === 'icmp' ? 'icmp' : 'icmpv6'}_type=${asked}`;
  const answers: Readonly<Record<string, string>> = { 8: '0', 128: '129', 13: '14' };
  const there = flow(src, dst, isIcmp ? icmp(type ?? '0') : `tp_src=${sport},tp_dst=${dport}`);
  const back = flow(
    dst,
    src,
    isIcmp ? icmp(answers[type ?? ''] ?? '0') : `tp_src=${dport},tp_dst=${sport}`,
  );
  const frame = (text: string) =>
    readFlow(text, target, target.plan.bridges[0]?.name, { payload: new Uint8Array(8) }).frame;
  try {
    return ended === 'answered' ? [frame(there), frame(back)] : [frame(there)];
  } catch (error) {
    if (error instanceof InputError) throw new InputError(error.message, { file, line });
    throw error;
  }
}

/** Into the bridge's own port, each connection by an address of its own. */
export function makeConnection(
  target: DumpedSwitch,
  connection: InitialConnection,
  index: number,
): StateSetup {
  const [bridge] = target.plan.bridges;
  const { zone, mark, label, protocol, timeoutS, file, line } = connection;
  const livesFor =
    protocol === 'tcp'
      ? connectionLifetimesS.established
      : timeoutS === undefined || timeoutS <= connectionLifetimesS.answered
        ? connectionLifetimesS.answered
        : connectionLifetimesS.unanswered;
  if (timeoutS !== undefined && (timeoutS > livesFor || timeoutS < 1))
    throw new InputError(
      `timeout=${timeoutS}: a connection of ${protocol} lives for ${livesFor} s at most`,
      { file, line },
    );
  const source =
    `0e:00:00:00:${(index >> 8).toString(16).padStart(2, '0')}` +
    `:${(index & 0xff).toString(16).padStart(2, '0')}`;
  const family = connection.original.get('src')?.includes(':') === true ? 'ipv6' : 'ip';
  const exec = [
    ...(mark === 0 ? [] : [`set_field:${mark}->ct_mark`]),
    ...(label === 0n ? [] : [`set_field:0x${label.toString(16)}->ct_label`]),
  ];
  return {
    bridge: bridge?.name ?? '',
    port: bridge?.name ?? '',
    agoS: livesFor - (timeoutS ?? livesFor),
    flows: [
      `priority=2,${family},in_port=LOCAL,dl_src=${source},actions=ct(commit,` +
        `zone=${zone}${exec.length === 0 ? '' : `,exec(${exec.join(',')})`})`,
    ],
    frames:
      protocol === 'tcp'
        ? handshake(source, connection)
        : exchange(
            target,
            source,
            connection,
            livesFor === connectionLifetimesS.unanswered ? 'unanswered' : 'answered',
          ),
  };
}
