/**
 * Flows in the notation of the datapath, as `ovs-appctl dpctl/dump-flows` prints them:
 * `in_port(p1),eth(src=…,dst=…),eth_type(0x0800),ipv4(…)` (lib/odp-util.c, odp_flow_format).
 */
import { complain, cut, part, shorten, span, split, type Span } from '../openflow/syntax/text.js';

/** Whether `text` is such a flow: keys with their parts in parentheses. */
export function isDatapathFlow(text: string): boolean {
  return /(^|[\s,])(recirc_id|in_port|eth|eth_type|ct_state|skb_priority|tunnel|packet_type)\s*\(/.test(
    text,
  );
}

export interface FlowOfDatapath {
  /** The same as `ofproto/trace` takes it with a bridge: `FIELD=VALUE`, … */
  readonly text: string;
  /** What was left out of it. */
  readonly notes: readonly string[];
}

/** The names of the parts of a key, and the fields that they are; `''` where it has one value. */
type Parts = Readonly<Record<string, string | 'unused'>>;

const l4: Parts = { src: 'tp_src', dst: 'tp_dst' };
const icmp: Parts = { type: 'icmp_type', code: 'icmp_code' };

const keys: Readonly<Record<string, Parts>> = {
  recirc_id: { '': 'recirc_id' },
  dp_hash: { '': 'unused' },
  skb_priority: { '': 'unused' },
  skb_mark: { '': 'pkt_mark' },
  in_port: { '': 'in_port' },
  eth: { src: 'dl_src', dst: 'dl_dst' },
  eth_type: { '': 'dl_type' },
  vlan: { vid: 'dl_vlan', pcp: 'dl_vlan_pcp', cfi: 'unused' },
  mpls: { label: 'mpls_label', tc: 'mpls_tc', ttl: 'mpls_ttl', bos: 'mpls_bos' },
  ipv4: {
    src: 'nw_src',
    dst: 'nw_dst',
    proto: 'nw_proto',
    tos: 'tos',
    ttl: 'nw_ttl',
    frag: 'nw_frag',
  },
  ipv6: {
    src: 'ipv6_src',
    dst: 'ipv6_dst',
    label: 'ipv6_label',
    proto: 'nw_proto',
    tclass: 'tos',
    hlimit: 'nw_ttl',
    frag: 'nw_frag',
  },
  tcp: l4,
  udp: l4,
  sctp: l4,
  icmp,
  icmpv6: icmp,
  tcp_flags: { '': 'tcp_flags' },
  arp: { sip: 'arp_spa', tip: 'arp_tpa', op: 'arp_op', sha: 'arp_sha', tha: 'arp_tha' },
  nd: { target: 'nd_target', sll: 'nd_sll', tll: 'nd_tll' },
  ct_state: { '': 'ct_state' },
  ct_zone: { '': 'ct_zone' },
  ct_mark: { '': 'ct_mark' },
  ct_label: { '': 'ct_label' },
  ct_tuple4: {
    src: 'ct_nw_src',
    dst: 'ct_nw_dst',
    proto: 'ct_nw_proto',
    tp_src: 'ct_tp_src',
    tp_dst: 'ct_tp_dst',
  },
  ct_tuple6: {
    src: 'ct_ipv6_src',
    dst: 'ct_ipv6_dst',
    proto: 'ct_nw_proto',
    tp_src: 'ct_tp_src',
    tp_dst: 'ct_tp_dst',
  },
  tunnel: {
    tun_id: 'tun_id',
    src: 'tun_src',
    dst: 'tun_dst',
    ipv6_src: 'tun_ipv6_src',
    ipv6_dst: 'tun_ipv6_dst',
    tos: 'tun_tos',
    ttl: 'tun_ttl',
    tp_src: 'unused',
    tp_dst: 'unused',
    flags: 'tun_flags',
  },
};

/**
 * @param portName the name of the port that has this number in the datapath, where it is known.
 * @throws InputError with the column in FLOW for what is no key, and for a port of which only the
 *   datapath's number is given.
 */
export function readDatapathFlow(
  text: string,
  portName: (number: number) => string | undefined,
): FlowOfDatapath {
  const whole = span(text.replace(/\bactions:.*$/, '').replace(/,?\s*packets:.*$/, ''), {
    file: 'FLOW',
    line: 1,
  });
  const fields: string[] = [];
  const unused: string[] = [];
  const masked: string[] = [];
  const put = (field: string, at: Span): void => {
    const [value, mask] = cut(at, '/');
    if (mask !== undefined && !/^(0x)?f+$/i.test(mask.text)) masked.push(field);
    if (field === 'unused') unused.push(at.text);
    else fields.push(...fieldTexts(field, value, portName));
  };
  const readKeys = (all: Span): void => {
    for (const piece of split(all, /[,\s]/)) {
      const [, name = '', inner] = /^(\w+)\((.*)\)$/s.exec(piece.text) ?? [];
      if (inner === undefined)
        throw complain(piece, `expected KEY(…), got "${shorten(piece.text)}"`);
      const argument = part(piece, name.length + 1, piece.text.length - 1);
      if (name === 'encap') {
        readKeys(argument);
        continue;
      }
      if (name === 'packet_type') {
        if (!/^ns=0,id=0(x0)?$/.test(inner))
          throw complain(piece, 'only packets of Ethernet are known');
        continue;
      }
      const parts = keys[name];
      if (parts === undefined)
        throw complain(piece, `unknown key "${shorten(name)}" of a datapath`);
      const single = parts[''];
      if (single !== undefined) {
        put(single, argument);
        continue;
      }
      for (const one of split(argument, /[,\s]/)) {
        const [label, value] = /^flags\(/.test(one.text)
          ? [part(one, 0, 5), part(one, 6, one.text.length - 1)]
          : cut(one, '=');
        const field = parts[label.text];
        if (field === undefined || value === undefined)
          throw complain(one, `unknown part "${shorten(one.text)}" of ${name}`);
        put(field, value);
      }
    }
  };
  readKeys(whole);
  const inside = fields.filter((field) => !/^dl_type=0x8100$/i.test(field));
  const service = fields.find((field) => /^dl_type=0x88a8$/i.test(field));
  if (service !== undefined)
    throw complain(whole, 'a tag of 802.1ad cannot be said in FLOW: give the packet by --packet');
  const typeless = new Set(inside.map((field) => field.replace(/=.*/, '')));
  return {
    text: [...inside, ...impliedType(typeless, text)].join(','),
    notes: [
      ...(masked.length === 0
        ? []
        : [
            'a megaflow stands for many packets: this is the one with the values that it gives ' +
              `for ${[...new Set(masked)].join(', ')}`,
          ]),
      ...(unused.some((value) => !/^(0x)?0+(\/.*)?$/.test(value))
        ? ['dp_hash, skb_priority and outer ports are left out: flows do not match them']
        : []),
    ],
  };
}

/** An Ethernet type that the keys imply but do not give. */
function impliedType(given: ReadonlySet<string>, text: string): readonly string[] {
  if (given.has('dl_type')) return [];
  if (/\bipv4\(/.test(text)) return ['dl_type=0x0800'];
  if (/\bipv6\(/.test(text)) return ['dl_type=0x86dd'];
  if (/\barp\(/.test(text)) return ['dl_type=0x0806'];
  return [];
}

function fieldTexts(
  field: string,
  value: Span,
  portName: (number: number) => string | undefined,
): readonly string[] {
  const { text } = value;
  switch (field) {
    case 'recirc_id':
      return /^(0x)?0+$/.test(text) ? [] : [`recirc_id=${text}`];
    case 'in_port': {
      if (!/^\d+$/.test(text)) return [`in_port=${JSON.stringify(text)}`];
      const name = portName(Number(text));
      if (name === undefined)
        throw complain(
          value,
          `in_port(${text}) is the datapath's number of a port, and the bridge's may be another: ` +
            'write in_port(NAME), as "dpctl/dump-flows --names" prints it, or give what ' +
            '"ovs-appctl dpif/show" prints by --dpif',
        );
      return [`in_port=${JSON.stringify(name)}`];
    }
    case 'tos': {
      const tos = Number(text);
      return [`nw_tos=${tos & 0xfc}`, `nw_ecn=${tos & 3}`];
    }
    case 'ct_state':
      return /^(0|0x0+)$/.test(text) ? [] : [`ct_state=${flagsThatAreSet(text)}`];
    case 'tun_flags':
      return /(^|\|)(oam|\+oam)/.test(flagsThatAreSet(text)) ? ['tun_flags=oam'] : [];
    case 'tcp_flags':
      return [`tcp_flags=${flagsThatAreSet(text)}`];
    default:
      return [`${field}=${text}`];
  }
}

/** `+est-new+trk` and `est|trk` as `est|trk`; a number as it is. */
function flagsThatAreSet(text: string): string {
  if (!/[+-]/.test(text)) return text;
  return [...text.matchAll(/\+(\w+)/g)].map(([, flag]) => flag).join('|') || '0';
}

/**
 * The names of ports by their numbers in the datapath, out of `ovs-appctl dpif/show`: lines such as
 * `    p1 1/2: (system)`, where the second number is the datapath's.
 */
export function readDatapathPorts(text: string): ReadonlyMap<number, string> {
  return new Map(
    [...text.matchAll(/^\s+(\S+) (?:\d+|LOCAL)\/(\d+): \(/gm)].map(
      ([, name = '', number]) => [Number(number), name] as const,
    ),
  );
}
