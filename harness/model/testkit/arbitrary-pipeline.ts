/**
 * For tests: pipelines whose flows meet, and frames that meet them; all from few addresses, ports
 * and values.
 */
import type { Random } from '../../base/random.js';
import { arpOperations, encodeArp } from '../../packet/protocols/link/arp.js';
import { encodeEthernet, etherTypes } from '../../packet/protocols/link/ethernet.js';
import { concatBytes } from '../../packet/bytes/header-layout.js';
import { encodeIcmp } from '../../packet/protocols/ip/icmp.js';
import { encodeIpv4, ipProtocols } from '../../packet/protocols/ip/ipv4.js';
import { encodeTcp } from '../../packet/protocols/transport/tcp.js';
import { encodeUdp } from '../../packet/protocols/transport/udp.js';

/** A frame and the port that it enters by. */
export interface Injection {
  readonly port: string;
  readonly frame: Uint8Array;
}

const ports = [1, 2, 3, 4];
const lastTable = 3;
const macs = ['0a:00:00:00:00:01', '0a:00:00:00:00:02', '0a:00:00:00:00:03', '0a:00:00:00:00:04'];
const groups = ['ff:ff:ff:ff:ff:ff', '01:00:5e:00:00:05', '01:80:c2:00:00:0e', '01:00:0c:cc:cc:cc'];
const ips = ['10.0.0.1', '10.0.0.2', '10.0.1.1', '10.0.1.2'];
const udpPorts = [7, 53, 1234];

function pick<T>(random: Random, from: readonly T[]): T {
  const chosen = from[random.integer(0, from.length - 1)];
  if (chosen === undefined) throw new Error('bug in flowbed: nothing to pick from');
  return chosen;
}

const chance = (random: Random, percent: number): boolean => random.integer(1, 100) <= percent;
const some = <T>(random: Random, most: number, make: () => T): readonly T[] =>
  Array.from({ length: random.integer(0, most) }, make);

/** What most flows of a pipeline, and most frames into it, are about. */
export type Protocol = 'any' | 'arp' | 'ip' | 'icmp' | 'udp' | 'tcp';

export function someProtocol(random: Random): Protocol {
  return pick<Protocol>(random, ['any', 'arp', 'ip', 'icmp', 'icmp', 'udp', 'udp', 'tcp']);
}

/**
 * Flows one a line, of distinct priorities in each table, and for each table one that takes what is
 * left.
 */
export function somePipeline(random: Random, focus: Protocol): readonly string[] {
  const tracked = (table: number) =>
    (focus !== 'icmp' && focus !== 'udp') || chance(random, 30)
      ? []
      : trackingFlows(random, table, focus);
  return Array.from({ length: lastTable + 1 }, (_, table) => [
    ...Array.from({ length: random.integer(2, 5) }, (_, index) =>
      someFlow(random, table, 100 - index, chance(random, 60) ? focus : someProtocol(random)),
    ),
    ...tracked(table),
    `table=${table}, priority=0 actions=${someActions(random, table, 'any').join(',')}`,
  ]).flat();
}

/** Flows that send untracked packets through the tracker, and distinguish what it says of them. */
function trackingFlows(random: Random, table: number, protocol: Protocol): readonly string[] {
  const zone = random.integer(0, 1);
  const ct =
    table === lastTable
      ? []
      : [
          'ct_state=-trk ' +
            `actions=ct(${chance(random, 70) ? 'commit,' : ''}table=${table + 1},zone=${zone})`,
        ];
  const stateFlows = ['+new', '+est-rpl', '+est+rpl', '+inv'].map(
    (state) =>
      `ct_state=${state}+trk actions=${
        someActions(random, table, protocol)
          .filter((action) => !action.includes('commit'))
          .join(',') || 'IN_PORT'
      }`,
  );
  return [...ct, ...stateFlows].map(
    (flow, index) => `table=${table}, priority=${50 - index},${protocol},${flow}`,
  );
}

function someFlow(random: Random, table: number, priority: number, protocol: Protocol): string {
  const matches = new Set(some(random, 2, () => someMatch(random, protocol)));
  const names = new Set<string>();
  const distinct = [...matches].filter(
    (match) => !names.has(match.replace(/=.*/, '')) && names.add(match.replace(/=.*/, '')),
  );
  const words = [...(protocol === 'any' ? [] : [protocol]), ...distinct];
  const isInvalid = distinct.some((match) => match.includes('+inv'));
  return `table=${table}, priority=${[priority, ...words].join(',')} actions=${
    someActions(random, table, protocol)
      .filter((action) => !isInvalid || !action.includes('commit'))
      .join(',') || 'drop'
  }`;
}

function someMatch(random: Random, protocol: Protocol): string {
  const general = [
    () => `in_port=${pick(random, ports)}`,
    () => `dl_src=${pick(random, macs)}`,
    () => `dl_dst=${pick(random, [...macs, ...groups, '01:00:00:00:00:00/01:00:00:00:00:00'])}`,
    () => `reg0=${pick(random, ['0', '0x1', '0x1/0x1', '0x10000/0xffff0000', '0/0x2'])}`,
    () => `reg1=${pick(random, ['0x1', '0x2', '0/0xf'])}`,
    () => `metadata=${pick(random, ['0x1', '0x100000000/0xf00000000', '0'])}`,
    () =>
      `ct_state=${pick(random, ['+trk', '-trk', '+new+trk', '+est+trk', '-new+trk', '+rpl', '-rpl+trk', '+inv+trk', '-inv'])}`,
    () => `ct_mark=${pick(random, ['0', '0x20', '0x1/0x1'])}`,
    () => `ct_zone=${pick(random, [0, 1, 2])}`,
    () => `vlan_tci=${pick(random, ['0x0000/0x1fff', '0x1000/0x1000'])}`,
  ];
  const arp = [
    () => `arp_op=${pick(random, [0, 1, 2])}`,
    () => `arp_spa=${pick(random, ips)}`,
    () => `arp_tpa=${pick(random, [...ips, '10.0.0.0/24'])}`,
    () => `arp_sha=${pick(random, macs)}`,
  ];
  const ip = [
    () => `nw_src=${pick(random, [...ips, '10.0.0.0/24', '0.0.0.0'])}`,
    () => `nw_dst=${pick(random, [...ips, '10.0.1.0/24', '0.0.0.1/0.0.0.1'])}`,
    () => `nw_ttl=${pick(random, [0, 1, 64])}`,
    () => `nw_tos=${pick(random, [0, 4, 184])}`,
    () => `nw_frag=${pick(random, ['no', 'yes', 'first', 'later', 'not_later'])}`,
  ];
  const transport = [
    () => `tp_src=${pick(random, [0, ...udpPorts])}`,
    () => `tp_dst=${pick(random, [...udpPorts, '0x0/0xfff0'])}`,
  ];
  const icmp = [
    () => `icmp_type=${pick(random, [0, 8, 3])}`,
    () => `icmp_code=${pick(random, [0, 1])}`,
  ];
  switch (protocol) {
    case 'any':
      return pick(random, general)();
    case 'arp':
      return pick(random, [...general, ...arp, ...arp])();
    case 'ip':
      return pick(random, [...general, ...ip, ...ip])();
    case 'icmp':
      return pick(random, [...general, ...ip.slice(0, 4), ...icmp, ...icmp])();
    case 'udp':
    case 'tcp':
      return pick(random, [...general, ...ip.slice(0, 4), ...transport, ...transport])();
  }
}

function someActions(random: Random, table: number, protocol: Protocol): readonly string[] {
  const actions = some(random, 4, () => someAction(random, table, protocol));
  const onward =
    table < lastTable && chance(random, 70)
      ? [`goto_table:${random.integer(table + 1, lastTable)}`]
      : [];
  const all = [...actions, ...onward];
  return all.length === 0 ? ['drop'] : all;
}

function someAction(random: Random, table: number, protocol: Protocol): string {
  const general = [...generalActions(random), ...onwardActions(random, table)];
  const ip = ipActions(random, table);
  const arp = arpActions(random);
  switch (protocol) {
    case 'any':
      return pick(random, general)();
    case 'arp':
      return pick(random, [...general, ...arp, ...arp])();
    case 'ip':
      return pick(random, [...general, ...ip, ...ip])();
    case 'icmp':
      return pick(random, [
        ...general,
        ...ip,
        () => `set_field:${pick(random, [0, 8])}->icmp_type`,
        () => `set_field:${random.integer(0, 1)}->icmp_code`,
      ])();
    case 'udp':
    case 'tcp':
      return pick(random, [
        ...general,
        ...ip,
        () =>
          `set_field:${pick(random, [0, ...udpPorts])}-` +
          `>${protocol}_${pick(random, ['src', 'dst'])}`,
        () => `move:NXM_NX_REG0[0..15]->NXM_OF_${protocol.toUpperCase()}_DST[]`,
      ])();
  }
}

type DrawAction = () => string;

/** For any packet. */
function generalActions(random: Random): readonly DrawAction[] {
  const field = () =>
    pick(random, [
      'NXM_NX_REG0[0..15]',
      'NXM_NX_REG1[0..15]',
      'NXM_NX_REG1[16..31]',
      'OXM_OF_METADATA[32..47]',
      'NXM_OF_ETH_SRC[0..15]',
      'NXM_OF_ETH_DST[0..15]',
    ]);
  return [
    () => `output:${pick(random, [...ports, 9])}`,
    () => `output:${pick(random, ports)}`,
    () => pick(random, ['NORMAL', 'IN_PORT', 'LOCAL', 'NORMAL']),
    () => `output:NXM_NX_REG${pick(random, ['0[]', '1[]', '1[0..15]'])}`,
    () =>
      `set_field:${pick(random, ['1', '2', '0x10001', '0/0xf', '0x3/0x3'])}-` +
      `>reg${random.integer(0, 1)}`,
    () => `set_field:${pick(random, ['1', '0x100000000', '0x1/0x1'])}->metadata`,
    () =>
      `set_field:${pick(random, [...macs, ...groups, '00:00:00:00:00:03/00:00:00:00:00:ff'])}-` +
      '>eth_dst',
    () => `set_field:${pick(random, macs)}->eth_src`,
    () => `move:${field()}->${field()}`,
    () => `set_field:${pick(random, [0, ...ports])}->in_port`,
  ];
}

/** Later tables. */
function onwardActions(random: Random, table: number): readonly DrawAction[] {
  const next = () => random.integer(Math.min(table + 1, lastTable), lastTable);
  return table === lastTable
    ? []
    : [() => `resubmit(,${next()})`, () => `resubmit(${pick(random, ports)},${next()})`];
}

function ipActions(random: Random, table: number): readonly DrawAction[] {
  const next = () => random.integer(Math.min(table + 1, lastTable), lastTable);
  const octet = () =>
    pick(random, ['NXM_OF_IP_TOS[]', 'NXM_NX_IP_TTL[]', 'NXM_NX_REG0[0..7]', 'NXM_NX_REG1[8..15]']);
  const addresses = ['NXM_OF_IP_SRC[]', 'NXM_OF_IP_DST[]', 'NXM_NX_REG0[]'];
  return [
    () => `set_field:${pick(random, [...ips, '0.0.0.2/0.0.0.3'])}->ip_src`,
    () => `set_field:${pick(random, ips)}->ip_dst`,
    () => `move:${octet()}->${octet()}`,
    () => `move:${pick(random, addresses)}->${pick(random, addresses)}`,
    () => 'dec_ttl',
    () => `set_field:${pick(random, [0, 1, 2, 255])}->nw_ttl`,
    () => `set_field:${pick(random, [0, 4, 184])}->nw_tos`,
    ...(table === lastTable
      ? []
      : [
          () => `ct(table=${next()},zone=${random.integer(0, 2)})`,
          () => `ct(commit,table=${next()},zone=${random.integer(0, 2)})`,
        ]),
    () =>
      `ct(commit,zone=${random.integer(0, 2)},` +
      `exec(set_field:${pick(random, ['0x20', '0x1/0x1', '0'])}->ct_mark))`,
    () => `ct(zone=${random.integer(0, 2)})`,
  ];
}

function arpActions(random: Random): readonly DrawAction[] {
  return [
    () => `set_field:${pick(random, [0, 1, 2])}->arp_op`,
    () => `set_field:${pick(random, ips)}->arp_${pick(random, ['spa', 'tpa'])}`,
    () => `set_field:${pick(random, macs)}->arp_${pick(random, ['sha', 'tha'])}`,
    () => 'move:NXM_OF_ARP_SPA[]->NXM_OF_ARP_TPA[]',
    () => 'move:NXM_OF_ETH_SRC[]->NXM_NX_ARP_THA[]',
  ];
}

/**
 * A frame into some port: most are whole, some are cut off, padded, or have a bit wrong behind the
 * addresses.
 */
export function someFrame(random: Random, focus: Protocol): Injection {
  const port = pick(random, ports);
  const frame = wholeFrame(random, port, chance(random, 70) ? focus : someProtocol(random));
  return { port: `p${port}`, frame: chance(random, 75) ? frame : damaged(random, frame) };
}

function damaged(random: Random, frame: Uint8Array): Uint8Array {
  switch (random.integer(0, 2)) {
    case 0:
      return frame.slice(0, random.integer(14, frame.length));
    case 1:
      return concatBytes(frame, new Uint8Array(random.integer(1, 20)).fill(0xee));
    default: {
      const at = random.integer(14, Math.max(14, frame.length - 1));
      return frame.map((byte, index) => (index === at ? byte ^ (1 << random.integer(0, 7)) : byte));
    }
  }
}

function wholeFrame(random: Random, port: number, protocol: Protocol): Uint8Array {
  const src = chance(random, 85)
    ? (macs[port - 1] ?? '')
    : pick(random, [...macs, '01:00:00:00:00:09']);
  const dst = chance(random, 75) ? pick(random, macs) : pick(random, groups);
  const ethernet = (etherType: number, payload: Uint8Array) =>
    encodeEthernet({ dst, src, etherType }, payload);
  if (protocol === 'arp') {
    // Not 255: Open vSwitch 3.5 takes it for any operation in its own keys, and loses what such
    // flows count.
    const op = pick(random, [arpOperations.request, arpOperations.reply, 0, 3, 257]);
    return ethernet(
      chance(random, 90) ? etherTypes.arp : etherTypes.rarp,
      encodeArp({
        op,
        sha: src,
        spa: pick(random, ips),
        tha: pick(random, [...macs, '00:00:00:00:00:00']),
        tpa: pick(random, ips),
      }),
    );
  }
  if (protocol !== 'any') return ethernet(etherTypes.ipv4, someDatagram(random, protocol));
  return ethernet(
    pick(random, [0x88b5, 0x0003, 0x05ff, 0x0600, etherTypes.ipv6]),
    new Uint8Array(random.integer(0, 40)).fill(0xaa),
  );
}

function someDatagram(random: Random, protocol: Exclude<Protocol, 'any' | 'arp'>): Uint8Array {
  // Two hosts talk most of the time, so that questions meet answers.
  const hosts = chance(random, 70) ? ips.slice(0, 2) : ips;
  const addresses = { src: pick(random, hosts), dst: pick(random, hosts) };
  const isFragment = chance(random, 8);
  const fragment = isFragment
    ? pick(random, [
        { flags: 1, fragmentOffset: 0 },
        { flags: 1, fragmentOffset: 1 },
        { flags: 0, fragmentOffset: 1 },
      ])
    : { flags: pick(random, [0, 2]) };
  const header = {
    ...addresses,
    ...fragment,
    ttl: pick(random, [64, 64, 64, 2, 1, 0, 255]),
    tos: pick(random, [0, 0, 4, 184, 3, 187]),
    identification: random.integer(0, 0xffff),
    options: chance(random, 10) ? Uint8Array.of(1, 1, 1, 0) : new Uint8Array(),
  };
  const payload = Uint8Array.from({ length: random.integer(0, 12) }, () => random.integer(0, 255));
  if (protocol === 'udp') {
    const datagram = encodeUdp(
      {
        srcPort: chance(random, 80) ? 7 : pick(random, [53, 0]),
        dstPort: chance(random, 80) ? 7 : pick(random, udpPorts),
      },
      payload,
      chance(random, 85) ? addresses : 'no-checksum',
    );
    return encodeIpv4({ ...header, protocol: ipProtocols.udp }, datagram);
  }
  if (protocol === 'icmp') {
    const type = chance(random, 85) ? pick(random, [0, 8]) : pick(random, [3, 5, 11, 13, 14, 40]);
    return encodeIpv4(
      { ...header, protocol: ipProtocols.icmp },
      encodeIcmp(
        {
          type,
          code: chance(random, 90) ? 0 : 1,
          identifier: chance(random, 80) ? 1 : 2,
          sequence: 1,
        },
        payload,
      ),
    );
  }
  if (protocol === 'tcp') {
    const segment = {
      srcPort: pick(random, udpPorts),
      dstPort: pick(random, udpPorts),
      sequence: 1,
      acknowledgement: 0,
      flags: 2,
      window: 100,
      urgentPointer: 0,
      options: chance(random, 30) ? Uint8Array.of(1, 1, 1, 1) : new Uint8Array(),
    };
    return encodeIpv4(
      { ...header, protocol: ipProtocols.tcp },
      encodeTcp(segment, payload, addresses),
    );
  }
  return encodeIpv4(
    { ...header, protocol: pick(random, [0, 2, 47, 89, ipProtocols.sctp]) },
    payload,
  );
}
