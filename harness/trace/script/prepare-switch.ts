/**
 * A switch with the state that it is given. No daemon takes connections or learned addresses as
 * they are; so packets make them, through flows for that alone, as long ago as their ages and
 * timeouts tell, and only then come the flows that the switch is about.
 */
import { encodeEthernet, etherTypes } from '../../packet/protocols/link/ethernet.js';
import { encodeIpv4, ipProtocols } from '../../packet/protocols/ip/ipv4.js';
import { encodeTcp, tcpFlags } from '../../packet/protocols/transport/tcp.js';
import { concatBytes } from '../../packet/bytes/header-layout.js';
import { InputError } from '../../base/errors/errors.js';
import { macBytes } from '../../base/addresses/mac-and-ipv4.js';
import type { BridgePlan, NodePlan } from '../../domain/plan/cluster-plan.js';
import type { SwitchCall } from '../../domain/switching.js';
import type { SwitchState } from '../../domain/switch-state.js';
import { printFlow } from '../../openflow/flows/flow.js';
import { parseBridgeFlows } from '../../openflow/bridge-program.js';
import { readFlow } from '../packet-stimulus.js';
import type { DumpedSwitch } from '../../dumps/dumped-switch.js';
import type { InitialConnection, InitialMac } from '../../dumps/initial-state.js';
import type { InitialState } from './script.js';

export interface PreparedSwitch {
  /** To bring the switch up from. */
  readonly plan: NodePlan;
  /** To be applied before anything else; its outputs do not matter. */
  readonly calls: readonly SwitchCall[];
}

interface StateSetup {
  readonly bridge: string;
  readonly flows: readonly string[];
  readonly port: string;
  readonly frames: readonly Uint8Array[];
  readonly agoS: number;
}

/** @throws InputError with the line of what no packet can make. */
export function prepareSwitch(
  target: DumpedSwitch,
  { connections, macs }: InitialState,
): PreparedSwitch {
  const { plan } = target;
  const setups = [
    ...connections.map((connection, index) => makeConnection(target, connection, index)),
    ...macs.map((entry) => makeMac(plan, entry)),
  ];
  if (setups.length === 0) return { plan, calls: [] };
  const oldestFirst = setups.toSorted((a, b) => b.agoS - a.agoS);
  const calls = oldestFirst.flatMap(({ port, frames, agoS }, index): readonly SwitchCall[] => {
    const seconds = agoS - (oldestFirst[index + 1]?.agoS ?? 0);
    return [
      ...frames.map(
        (frame) => ({ kind: 'receive', node: plan.node, port, frames: [frame] }) as const,
      ),
      ...(seconds > 0 ? [{ kind: 'advance', node: plan.node, ms: seconds * 1000 } as const] : []),
    ];
  });
  // An address in several VLANs is learned by one flow.
  const flowsOf = (bridge: BridgePlan) => [
    ...new Set(setups.filter((one) => one.bridge === bridge.name).flatMap(({ flows }) => flows)),
  ];
  const programs = plan.bridges.map(
    (bridge): SwitchCall => ({
      kind: 'change',
      node: plan.node,
      bridge: bridge.name,
      lines: [
        'flow delete',
        ...parseBridgeFlows(plan.node, bridge).map((flow) => `flow add ${printFlow(flow)}`),
      ],
    }),
  );
  return {
    plan: {
      ...plan,
      bridges: plan.bridges.map((bridge) => ({ ...bridge, flows: flowsOf(bridge) })),
    },
    calls: [...calls, ...programs],
  };
}

/**
 * @throws InputError with the line of what is not there although its packets have passed: the
 *   bridge has other VLANs, or the line contradicts itself.
 */
export function checkInitialState({ connections, macs }: InitialState, state: SwitchState): void {
  const textOf = (direction: ReadonlyMap<string, string>) =>
    [...direction].map(([name, value]) => `${name}=${value}`).join(',');
  for (const { zone, original, timeoutS, file, line } of connections) {
    const made = state.connections.find(
      (one) => one.zone === zone && one.original === textOf(original),
    );
    if (made === undefined || (timeoutS !== undefined && made.timeoutS !== timeoutS))
      throw new InputError(
        'no packets make this connection: ' +
          (made === undefined
            ? 'it is not there afterwards'
            : `it has a timeout of ${made.timeoutS} then`),
        { file, line },
      );
  }
  for (const { bridge, port, vlan, mac, file, line } of macs) {
    const made = state.macs.some(
      (one) => one.bridge === bridge && one.port === port && one.vlan === vlan && one.mac === mac,
    );
    if (!made)
      throw new InputError(
        `bridge ${bridge} does not learn ${mac} in VLAN ${vlan} at ${port}: look at the VLANs ` +
          'of the port',
        { file, line },
      );
  }
}

/** Untagged where the port itself says the VLAN; to its own address, so that it goes nowhere. */
function makeMac({ bridges }: NodePlan, { bridge, port, vlan, mac, ageS }: InitialMac): StateSetup {
  const settings = bridges
    .find(({ name }) => name === bridge)
    ?.ports.find(({ name }) => name === port)?.vlan;
  const isOwn = settings?.tag === vlan && settings.mode !== 'trunk';
  const [address, etherType] = [macBytes(mac), Uint8Array.of(0x88, 0xb5)];
  const tag = vlan === 0 || isOwn ? [] : [Uint8Array.of(0x81, 0, vlan >> 8, vlan & 0xff)];
  return {
    bridge,
    port,
    agoS: ageS,
    flows: [`priority=1,in_port="${port}",dl_src=${mac},actions=NORMAL`],
    frames: [concatBytes(address, address, ...tag, etherType, new Uint8Array(46))],
  };
}

/** Seconds that a connection lives with the answer that its dump does not show, and without. */
const connectionLifetimesS = { answered: 30, unanswered: 60, established: 86_400 } as const;

/** Into the bridge's own port, each connection by an address of its own. */
function makeConnection(
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
