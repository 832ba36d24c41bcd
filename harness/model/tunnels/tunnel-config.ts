/**
 * What a tunnel's port is asked for: its options as the database has them, read
 * (ovs-vswitchd.conf.db(5), "Tunnel Options"; Open vSwitch lib/netdev-vport.c, set_tunnel_config).
 */
import { addressNumber, isIpv4Address } from '../../base/addresses/ip-address.js';
import { InputError, Unsupported } from '../../base/errors/errors.js';
import { flowBased, type PortPlan, type TunnelOptions } from '../../domain/plan/port-plan.js';
import { genevePort } from '../../packet/protocols/tunnel/geneve.js';
import { vxlanPort } from '../../packet/protocols/tunnel/vxlan.js';

export type TunnelPortPlan = Extract<PortPlan, { readonly kind: 'tunnel' }>;

/** The types that the model knows. */
export type KnownTunnel = 'geneve' | 'vxlan' | 'gre';

export interface TunnelConfig {
  readonly type: KnownTunnel;
  /**
   * Whom it sends to, and takes packets from; `flow`: tun_dst says so, and packets come from
   * anybody.
   */
  readonly remote: bigint | 'flow';
  /** What it sends from, and takes packets for; `any`: the route says so. */
  readonly local: bigint | 'flow' | 'any';
  readonly inKey: bigint | 'flow';
  /** `none`: there is no key, where the type can do without. */
  readonly outKey: bigint | 'flow' | 'none';
  /** Zero for those that are not over UDP. */
  readonly udpPort: number;
  readonly tos: number | 'inherit';
  readonly ttl: number | 'inherit';
  readonly fragments: 'allowed' | 'forbidden';
  readonly checksum: 'on' | 'off' | 'as usual';
  /** Written to pkt_mark of what is sent. */
  readonly mark?: number;
  /** VXLAN's Generic Protocol Extension. */
  readonly extension: 'gpe' | 'gbp' | 'none';
  /** What is inside: frames, or packets whose Ethernet header is left away (`legacy_l3`). */
  readonly carries: 'frames' | 'packets';
}

const udpPorts: Readonly<Record<KnownTunnel, number>> = {
  geneve: genevePort,
  vxlan: vxlanPort,
  gre: 0,
};
const defaultTtl = 64;
const dscp = 0xfc;

/**
 * @throws Unsupported naming the port and what of its options the model does not know, or Open
 *   vSwitch would not take.
 */
export function readConfig({ name, tunnel, options = flowBased }: TunnelPortPlan): TunnelConfig {
  const refuse = (what: string): never => {
    throw new Unsupported(`the model does not know ${what} of tunnel port ${name}`);
  };
  const type = knownType(tunnel) ?? refuse(`the type ${tunnel}`);
  const foreign = Object.keys(options).find(
    (option) =>
      !known.has(option) ||
      (option === 'exts' && type !== 'vxlan') ||
      (option === 'dst_port' && type === 'gre'),
  );
  if (foreign !== undefined) refuse(`the option ${foreign}`);
  const read = <Value>(
    option: keyof TunnelOptions,
    reader: (text: string) => Value | undefined,
    fallback: Value,
  ): Value => {
    const text = options[option];
    return text === undefined ? fallback : (reader(text) ?? refuse(`${option}=${text}`));
  };
  const key = read<bigint | 'flow' | 'none'>('key', readKey, 'none');
  const inKey = read<bigint | 'flow' | 'none'>('in_key', readKey, key);
  const mark = read<number | undefined>('egress_pkt_mark', numberUpTo(0xffffffff), undefined);
  if (options.seq === 'true') refuse('sequence numbers (seq)');
  const carries = read(
    'packet_type',
    oneOf({ legacy_l2: 'frames', ...(type === 'gre' ? { legacy_l3: 'packets' } : {}) }),
    'frames',
  );
  const remote = readAddress(options.remote_ip) ?? refuse(`remote_ip=${options.remote_ip}`);
  const local = read<bigint | 'flow' | 'any'>('local_ip', readAddress, 'any');
  if (local === 'flow' && remote !== 'flow') refuse('local_ip=flow without remote_ip=flow');
  if (
    typeof remote === 'bigint' &&
    typeof local === 'bigint' &&
    isIpv4Address(remote) !== isIpv4Address(local)
  )
    refuse('a remote_ip and local_ip of different families');
  return {
    type,
    remote,
    local,
    inKey: inKey === 'none' ? 0n : inKey,
    outKey: read<bigint | 'flow' | 'none'>('out_key', readKey, key),
    udpPort: read('dst_port', numberUpTo(0xffff), udpPorts[type]),
    tos: read<number | 'inherit'>('tos', orInherit(numberUpTo(dscp, dscp)), 0),
    ttl: read<number | 'inherit'>('ttl', orInherit(numberUpTo(255)), 0) || defaultTtl,
    fragments: read('df_default', oneOf({ true: 'forbidden', false: 'allowed' }), 'forbidden'),
    checksum: read('csum', oneOf({ true: 'on', false: 'off' }), 'as usual'),
    extension: read('exts', oneOf({ gpe: 'gpe', gbp: 'gbp' }), 'none'),
    carries,
    ...(mark === undefined ? {} : { mark }),
  };
}

const known: ReadonlySet<string> = new Set<keyof TunnelOptions>([
  'remote_ip',
  'local_ip',
  'key',
  'in_key',
  'out_key',
  'dst_port',
  'tos',
  'ttl',
  'df_default',
  'csum',
  'seq',
  'exts',
  'egress_pkt_mark',
  'packet_type',
]);

function knownType(type: string): KnownTunnel | undefined {
  return type === 'geneve' || type === 'vxlan' || type === 'gre' ? type : undefined;
}

/** Unlike Open vSwitch it takes nothing for a number that is none. */
function readKey(text: string): bigint | 'flow' | undefined {
  if (text === 'flow') return 'flow';
  return /^(0x[0-9a-f]{1,16}|0|[1-9]\d{0,18})$/i.test(text) ? BigInt(text) : undefined;
}

function readAddress(text: string): bigint | 'flow' | undefined {
  if (text === 'flow') return 'flow';
  try {
    const address = addressNumber(text);
    return isMulticast(address) || address === 0n ? undefined : address;
  } catch (error) {
    if (error instanceof InputError) return undefined;
    throw error;
  }
}

function isMulticast(address: bigint): boolean {
  return isIpv4Address(address) ? ((address >> 28n) & 0xfn) === 0xen : address >> 120n === 0xffn;
}

function numberUpTo(most: number, bits = 0xffffffff): (text: string) => number | undefined {
  return (text) =>
    /^(0x[0-9a-f]{1,8}|0|[1-9]\d{0,9})$/i.test(text) &&
    Number(text) <= most &&
    (Number(text) & bits) >>> 0 === Number(text)
      ? Number(text)
      : undefined;
}

function orInherit(
  reader: (text: string) => number | undefined,
): (text: string) => number | 'inherit' | undefined {
  return (text) => (text === 'inherit' ? 'inherit' : reader(text));
}

function oneOf<const Names extends Readonly<Record<string, string>>>(
  names: Names,
): (text: string) => Names[keyof Names] | undefined {
  return (text) => (Object.hasOwn(names, text) ? names[text as keyof Names] : undefined);
}
