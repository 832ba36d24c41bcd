// Goal: what a switch reads of tags, labels, IPv6 and what it carries, what it writes back, and
// what it makes of pushes and pops, also where headers are odd. Method: frames written down byte by
// byte, those of which Open vSwitch 3.1, 3.5 and 4.0 said the same; encoders and decoders are each
// other's inverse.
import { deepStrictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { formatIpv6 } from '../../base/addresses/ipv6.js';
import { formatMac } from '../../base/addresses/mac-and-ipv4.js';
import { isArp } from './link/device-arp.js';
import { extract } from '../flow-key/extract/extract.js';
import { popMpls, popVlan, pushMpls, pushVlan } from '../flow-key/push-pop-headers.js';
import { countLabels, countTags, keyWords, word, type FlowKey } from '../flow-key/flow-key.js';
import { movedLayout, rewrite, rewriteTranslated } from '../flow-key/rewrite/rewrite.js';
import { emptyBytes } from '../bytes/header-layout.js';
import { decodeIcmp6, encodeIcmp6 } from './ip/icmp6.js';
import { encodeExtension, encodeFragment } from './ip/ipv6-extension.js';
import { decodeIpv6, encodeIpv6 } from './ip/ipv6.js';
import { decodeMpls, encodeMpls } from './link/mpls.js';
import { addressOption, decodeNeighbour, encodeNeighbour } from './ip/neighbour.js';
import { decodeSctp, encodeSctp, sctpChecksum } from './transport/sctp.js';
import { decodeVlan, encodeVlan } from './link/vlan.js';

const bytesOf = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'));
const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const link = '0a000a0a0001aabbccddeeff';

/** The fields of a frame that are not zero, in hexadecimal digits, Ethernet's addresses aside. */
function read(hex: string, tagsMax?: number): Readonly<Record<string, string>> {
  const key = new Uint32Array(keyWords);
  const { mpls, l3, l4 } = extract(bytesOf(hex), key, tagsMax);
  const names = (Object.keys(word) as (keyof typeof word)[]).filter(
    (name) => !/^eth(Src|Dst)$/.test(name),
  );
  const after = (name: keyof typeof word) =>
    Math.min(...Object.values(word).filter((place) => place > word[name]), keyWords);
  const values = names.map(
    (name) =>
      [
        name,
        [...key.subarray(word[name], after(name))]
          .map((part) => part.toString(16).padStart(8, '0'))
          .join('')
          .replace(/^0+/, ''),
      ] as const,
  );
  return {
    layers: `${mpls} ${l3} ${l4}`,
    ...Object.fromEntries(values.filter(([, value]) => value !== '')),
  };
}

/** The frame after `change`, and where its layers are. */
function written(hex: string, change: (key: FlowKey) => void, tagsMax?: number): string {
  const before = new Uint32Array(keyWords);
  const layout = extract(bytesOf(hex), before, tagsMax);
  const after = before.slice();
  change(after);
  return hexOf(rewrite(bytesOf(hex), layout, before, after));
}

void t.test('tags', (t) => {
  const inner = '0806' + '00'.repeat(10);
  t.same(
    read(`${link}8100b005${inner}`),
    { layers: '-1 18 -1', ethType: '806', vlanTci: 'b00500000000', vlanTpid: '810000000000' },
    'DEI counts for presence',
  );
  t.same(
    read(`${link}88a800058100e006${inner}`),
    { layers: '-1 18 -1', ethType: '8100', vlanTci: '100500000000', vlanTpid: '88a800000000' },
    'one tag by default',
  );
  t.same(read(`${link}88a800058100e006${inner}`, 2), {
    layers: '-1 22 -1',
    ethType: '806',
    vlanTci: '10050000f006',
    vlanTpid: '88a800008100',
  });
  t.same(
    read(`${link}810000058100e0068100000788cc`, 9),
    { layers: '-1 22 -1', ethType: '8100', vlanTci: '10050000f006', vlanTpid: '810000008100' },
    'two at most',
  );
  const untagged = `${link}${inner}`;
  t.equal(
    written(untagged, (key) => {
      key[word.vlanTci] = 0xf005;
    }),
    `${link}8100e005${inner}`,
    'written into a frame without one',
  );
  t.equal(
    written(`${link}88a83005${inner}`, (key) => {
      key[word.vlanTci] = 0x1006;
    }),
    `${link}88a80006${inner}`,
    'DEI does not stay',
  );
  t.equal(
    written(`${link}88a83005${inner}`, (key) => {
      key[word.vlanTci] = 0x0006;
    }),
    untagged,
    'without the bit of presence there is no tag',
  );
  t.equal(
    written(`${link}81000005${inner}`, (key) => pushVlan(key, 0x88a8)),
    `${link}88a80000${'81000005'}${inner}`,
  );
  t.equal(written(`${link}88a800058100e006${inner}`, popVlan), `${link}8100e006${inner}`);
  t.equal(
    written(
      `${link}88a800058100e006${inner}`,
      (key) => {
        popVlan(key);
        popVlan(key);
      },
      2,
    ),
    untagged,
  );
  t.equal(written(untagged, popVlan), untagged);
  t.end();
});

void t.test('labels', (t) => {
  const stack = (...entries: readonly string[]) => `${link}8847${entries.join('')}45000000`;
  t.same(
    read(stack('00010140')),
    { layers: '14 18 -1', ethType: '8847', mplsLse: '101400000000000000000' },
    'and nothing of what is behind',
  );
  t.same(
    read(stack('00010040', '00020040', '00030040', '00040140')),
    { layers: '14 30 -1', ethType: '8847', mplsLse: '100400002004000030040' },
    'three at most, and a layer behind all',
  );
  t.same(
    read(`${link}88470001004000`),
    { layers: '14 18 -1', ethType: '8847', mplsLse: '100400000000000000000' },
    'a stack without a last entry',
  );
  t.equal(
    written(stack('00010140'), (key) => {
      key[word.mplsLse] = 0xfffff13f;
    }),
    stack('fffff13f'),
  );
  t.equal(
    written(stack('00010140'), (key) => pushMpls(key, 0x8848)),
    stack('00010040', '00010140').replace('8847', '8848'),
    'a second entry is a copy',
  );
  t.equal(
    written(stack('00010040', '00020140'), (key) => popMpls(key, 0x8847)),
    stack('00020140'),
  );
  t.equal(
    written(stack('00010140'), (key) => popMpls(key, 0x0800)),
    `${link}080045000000`,
  );
  t.equal(
    written(`${link}8100000588470001014045`, (key) => popMpls(key, 0x0800)),
    `${link}81000005080045`,
    'behind a tag',
  );
  const deep = new Uint32Array(keyWords);
  extract(bytesOf(stack('00010040', '00020040', '00030040', '00040140')), deep);
  t.equal(pushMpls(deep, 0x8847), 'too many labels');
  t.equal(popMpls(deep, 0x8847), 'too many labels', 'what would be the third is not known');
  t.equal(popMpls(new Uint32Array(keyWords), 0x0800), 'no label');
  t.throws(
    () =>
      written(stack('00000040', '00020040', '00030040', '00040140'), (key) => {
        key[word.mplsLse] = 0;
      }),
    { name: 'Unsupported', message: /Open vSwitch ends itself/ },
  );
  t.end();
});

void t.test('labels in front of IP', (t) => {
  const packet = (family: string, body: string) => `${link}${family}${body}`;
  const ipv4 = '45b8001400000000ff59a0740a0a00020a0a0102';
  const ipv6 = `6b80000000003b09${'fd'.repeat(16)}${'fe'.repeat(16)}`;
  t.equal(
    written(packet('0800', ipv4), (key) => pushMpls(key, 0x8847)),
    packet('8847', `00000dff${ipv4}`),
    'explicit null of IPv4, low bits of DSCP, TTL',
  );
  t.equal(
    written(packet('86dd', ipv6), (key) => pushMpls(key, 0x8847)),
    packet('8847', `00002d09${ipv6}`),
    'explicit null of IPv6',
  );
  t.equal(
    written(packet('88cc', '00'), (key) => pushMpls(key, 0x8847)),
    packet('8847', '0000014000'),
    'TTL 64 of anything else',
  );
  const key = new Uint32Array(keyWords);
  const layout = extract(bytesOf(packet('0800', ipv4)), key);
  const before = key.slice();
  pushMpls(key, 0x8847);
  t.same(
    [key[word.nwSrc], key[word.nwProto], countLabels(key), countTags(key)],
    [0, 0, 1, 0],
    'IP is beyond what is parsed',
  );
  t.same(movedLayout(layout, before, key), { mpls: 14, l3: 18, l4: 38 });
  t.same(movedLayout({ mpls: 14, l3: 18, l4: 38 }, key, before), { mpls: -1, l3: 14, l4: 34 });
  const lost = { mpls: -1, l3: 18, l4: -1 };
  const deeper = key.slice();
  pushMpls(deeper, 0x8847);
  t.same(movedLayout(lost, key, key), lost, 'a stack that is beyond what is parsed stays so');
  t.same(movedLayout(lost, key, before), lost, 'nothing is popped from it');
  t.equal(
    hexOf(rewrite(bytesOf(packet('8100', '00058847')), lost, key, before)),
    packet('8100', '00058847'),
  );
  t.same(movedLayout(lost, key, deeper), { mpls: 18, l3: 22, l4: -1 }, 'another one is in sight');
  t.end();
});

const addresses = 'fd000000000000000000000000000001' + 'fd000000000000000000000000000002';
const ipv6 = (next: string, body: string, start = '6b812345'): string =>
  link +
  `86dd${start}${(body.length / 2).toString(16).padStart(4, '0')}${next}40${addresses}${body}`;
const sides = { ethType: '86dd', ipv6Src: addresses.slice(0, 32), ipv6Dst: addresses.slice(32) };
const ip6 = { ...sides, ipv6Label: '12345', nwTos: 'b8', nwTtl: '40' };
const udp = '04d2000700080000';

void t.test('IPv6', (t) => {
  t.same(read(ipv6('11', udp)), {
    layers: '-1 14 54',
    ...ip6,
    nwProto: '11',
    tpSrc: '4d2',
    tpDst: '7',
  });
  t.same(
    read(`${ipv6('11', udp)}0000`),
    { layers: '-1 14 54', ...ip6, nwProto: '11', tpSrc: '4d2', tpDst: '7' },
    'padding',
  );
  t.same(
    read(ipv6('11', udp).slice(0, -2)),
    { layers: '-1 14 -1', ethType: '86dd' },
    'shorter than it says',
  );
  t.same(
    read(ipv6('11', udp).slice(0, 2 * 53)),
    { layers: '-1 14 -1', ethType: '86dd' },
    'no whole header',
  );
  t.same(
    read(ipv6('11', udp.slice(2))),
    { layers: '-1 14 54', ...ip6, nwProto: '11' },
    'UDP that is cut short',
  );
  t.same(read(ipv6('06', `c0001f9001020304050607085012ffff00000000`)), {
    layers: '-1 14 54',
    ...ip6,
    nwProto: '6',
    tpSrc: 'c000',
    tpDst: '1f90',
    tcpFlags: '12',
  });
  t.same(read(ipv6('84', '0b590b5a0000000112345678')), {
    layers: '-1 14 54',
    ...ip6,
    nwProto: '84',
    tpSrc: 'b59',
    tpDst: 'b5a',
  });
  t.same(read(ipv6('3a', '8001000000010002')), {
    layers: '-1 14 54',
    ...ip6,
    nwProto: '3a',
    tpSrc: '80',
    tpDst: '1',
  });
  t.same(
    read(ipv6('3a', '80010000000100')),
    { layers: '-1 14 54', ...ip6, nwProto: '3a' },
    'ICMPv6 that is cut short',
  );
  t.end();
});

void t.test(
  'of IPv6 only what changes is written, also where the place of its header is lost',
  (t) => {
    const frame = (start: string, ttl = '40') =>
      ipv6('11', udp, start).replace('00081140', `000811${ttl}`);
    const set = (field: number, value: number) =>
      written(frame('fb812345'), (key) => {
        key[field] = value;
      });
    t.equal(set(word.nwTos, 0x47), frame('f4712345'), 'beside an odd version');
    t.equal(set(word.ipv6Label, 0xabcde), frame('fb8abcde'));
    t.equal(set(word.nwTtl, 0x3f), frame('fb812345', '3f'));
    const key = new Uint32Array(keyWords);
    const layout = extract(bytesOf(frame('6b812345')), key);
    const moved = (change: (after: FlowKey) => void) => {
      const after = key.slice();
      change(after);
      return hexOf(rewrite(bytesOf(frame('6b812345')), { ...layout, l3: 10, l4: -1 }, key, after));
    };
    t.equal(
      moved((after) => {
        after[word.ethDst] = 0x0a01;
      }),
      frame('6b812345').replace('0a000a0a0001', '0a010a0a0001'),
      'and nothing else',
    );
    t.equal(
      moved((after) => {
        after[word.nwTos] = 0;
      }).slice(20, 24),
      'e00f',
      'it lands elsewhere',
    );
    t.end();
  },
);

void t.test('what connection tracking writes, it writes into IP of any protocol', (t) => {
  const hex = `${link}08004500001400000000400066e80a0000010a000002`;
  const before = new Uint32Array(keyWords);
  const layout = extract(bytesOf(hex), before);
  const after = before.slice();
  after[word.nwDst] = 0x0a000009;
  t.equal(
    hexOf(rewrite(bytesOf(hex), layout, before, after)),
    hex,
    'no action does: there is no protocol',
  );
  t.equal(
    hexOf(rewriteTranslated(bytesOf(hex), layout, before, after)),
    hex.replace('66e8', '66e1').replace('0a000002', '0a000009'),
  );
  t.end();
});

void t.test('extension headers', (t) => {
  const options = (next: string, units = 0) => `${next}0${units}${'00'.repeat(6 + 8 * units)}`;
  const behind = (next: string, body: string) => ({
    layers: `-1 14 ${54 + body.length / 2}`,
    ...ip6,
    nwProto: next,
    tpSrc: '4d2',
    tpDst: '7',
  });
  for (const [name, type] of [
    ['hop-by-hop', '00'],
    ['routing', '2b'],
    ['destination', '3c'],
  ] as const) {
    t.same(read(ipv6(type, options('11') + udp)), behind('11', options('11')), name);
    t.same(
      read(ipv6(type, options('11', 1) + udp)),
      behind('11', options('11', 1)),
      `${name}, longer`,
    );
    t.same(
      read(ipv6(type, `1104${'00'.repeat(6)}${udp}`)),
      { layers: '-1 14 -1', ...sides },
      `${name}, longer than all`,
    );
  }
  const authentication = `1104${'00'.repeat(22)}`;
  t.same(
    read(ipv6('33', authentication + udp)),
    behind('11', authentication),
    'authentication is counted differently',
  );
  t.same(read(ipv6('00', '1100')), { layers: '-1 14 -1', ...sides }, 'less than eight bytes');
  t.same(
    read(ipv6('00', options('2b') + options('3c') + options('11') + udp)),
    behind('11', options('00').repeat(3)),
    'one behind another',
  );
  const fragment = (word16: string) => `1100${word16}01020304`;
  t.same(
    read(ipv6('2c', fragment('0001') + udp)),
    { ...behind('11', fragment('0001')), nwFrag: '1' },
    'a first fragment',
  );
  t.same(
    read(ipv6('2c', fragment('0000') + udp)),
    behind('11', fragment('0000')),
    'one that is alone is none (RFC 6946)',
  );
  t.same(
    read(ipv6('2c', fragment('0002') + udp)),
    { ...behind('11', fragment('0000')), nwFrag: '1' },
    'a reserved bit makes it one',
  );
  for (const later of ['0008', '0009'])
    t.same(
      read(ipv6('2c', fragment(later) + udp)),
      { layers: '-1 14 62', ...ip6, nwProto: '2c', nwFrag: '3' },
      `a later one has the fragment header for its protocol: ${later}`,
    );
  t.end();
});

const target = 'fe800000000000000000000000000003';
const solicitation = (options: string) => ipv6('3a', `8700000020000001${target}${options}`);
const [sll, tll, nonce] = ['01010a0000000009', '02010a0000000008', '0e01112233445566'];

void t.test('neighbour discovery', (t) => {
  const nd = { layers: '-1 14 54', ...ip6, nwProto: '3a', tpSrc: '87', ndReserved: '20000001' };
  const whole = { ...nd, ndTarget: target };
  const source = { arpSha: 'a0000000009', tcpFlags: '1' };
  t.same(read(solicitation('')), whole);
  t.same(read(solicitation(sll)), { ...whole, ...source });
  t.same(
    read(solicitation(nonce + tll + sll)),
    { ...whole, arpSha: 'a0000000009', arpTha: 'a0000000008', tcpFlags: '2' },
    'the type of the first one with an address',
  );
  t.same(read(solicitation(sll + sll)), { ...nd, tcpFlags: '1' }, 'twice is as good as not at all');
  t.same(
    read(solicitation('0101000000000000' + sll)),
    { ...whole, ...source },
    'zeros do not count',
  );
  t.same(
    read(solicitation('0e00' + '00'.repeat(6) + sll)),
    whole,
    'an option without length ends it',
  );
  t.same(read(solicitation('0e03' + '00'.repeat(6) + sll)), whole, 'so does one that is cut off');
  t.same(
    read(solicitation('01020a000000000900000000000000' + '00')),
    whole,
    'an address is six bytes',
  );
  t.same(read(ipv6('3a', '8700000020000001fe80')), nd, 'without a whole target');
  t.same(
    read(ipv6('3a', `8701000020000001${target}`)),
    { layers: '-1 14 54', ...ip6, nwProto: '3a', tpSrc: '87', tpDst: '1' },
    'code 0 only',
  );
  t.end();
});

/** The checksum of what an IPv6 packet carries, as it stands there. */
const checksumAt = (hex: string, offset: number): string =>
  hex.slice(2 * (54 + offset), 2 * (54 + offset + 2));
const setSource = (key: FlowKey) => {
  key[word.ipv6Src + 3] = 9;
};
const setDestination = (key: FlowKey) => {
  key[word.ipv6Dst + 3] = 9;
};

void t.test('IPv6 is written', (t) => {
  const echo = ipv6('3a', '8000abcd00010002');
  t.equal(
    written(echo, (key) => {
      key[word.nwTtl] = 7;
      key[word.nwTos] = 1;
      key[word.ipv6Label] = 0xfffff;
    }),
    ipv6('3a', '8000abcd00010002', '601fffff').replace('3a40', '3a07'),
    'no checksum covers these',
  );
  t.equal(
    checksumAt(written(echo, setSource), 2),
    'abc5',
    'ICMPv6 covers addresses, 8 more in one and so less in the other',
  );
  t.equal(
    checksumAt(written(ipv6('06', `c0001f9001020304050607085012ffffabcd0000`), setDestination), 16),
    'abc6',
    'TCP',
  );
  t.equal(checksumAt(written(ipv6('11', '04d200070008abcd'), setSource), 6), 'abc5', 'UDP');
  t.equal(
    checksumAt(written(ipv6('11', '04d2000700080000'), setSource), 6),
    '0000',
    'UDP without one',
  );
  t.equal(checksumAt(written(ipv6('11', '04d2000700080008'), setSource), 6), 'ffff', 'never zero');
  const fragment = (bits: string) => ipv6('2c', `1100${bits}0102030404d200070008abcd`);
  t.equal(checksumAt(written(fragment('0001'), setSource), 14), 'abc5', 'of a first fragment');
  for (const bits of ['0000', '0008', '0009'])
    t.equal(
      checksumAt(written(fragment(bits), setSource), 14),
      'abcd',
      `of no other fragment: ${bits}`,
    );
  const routed = (left: string) => ipv6('2b', `110000${left}0000000004d200070008abcd`);
  t.equal(checksumAt(written(routed('00'), setDestination), 14), 'abc6', 'at the last segment');
  for (const change of [setSource, setDestination])
    t.equal(
      checksumAt(written(routed('01'), change), 14),
      'abcd',
      'with segments left nothing is covered',
    );
  const broken = ipv6('00', '1104000000000000');
  t.equal(
    written(broken, setSource),
    broken,
    'behind a broken extension header nothing is written, not even in front of it',
  );
  t.end();
});

void t.test('neighbour discovery and SCTP are written', (t) => {
  const changes: readonly (readonly [
    what: string,
    from: string,
    change: (key: FlowKey) => void,
    to: string,
  ])[] = [
    [
      'target',
      solicitation(sll),
      (key) => {
        key[word.ndTarget + 3] = 4;
      },
      `8700ffff20000001${target.slice(0, -1)}4${sll}`,
    ],
    [
      'source address',
      solicitation(nonce + sll),
      (key) => {
        key[word.arpSha + 1] = 7;
      },
      `8700`,
    ],
    [
      'an address that is not there',
      solicitation(''),
      (key) => {
        key[word.arpSha + 1] = 7;
      },
      `8700000020000001${target}`,
    ],
    [
      'only the first of two',
      solicitation(tll + sll),
      (key) => {
        key[word.arpSha + 1] = 7;
      },
      `8700000020000001${target}${tll}${sll}`,
    ],
  ];
  t.equal(
    written(changes[0]![1], changes[0]![2]).slice(108),
    changes[0]![3].replace('ffff', 'fffe'),
    'target',
  );
  t.equal(
    written(changes[1]![1], changes[1]![2]).slice(108),
    `87000002${'20000001'}${target}${nonce}01010a0000000007`,
    'source address',
  );
  for (const [what, from, change, to] of changes.slice(2))
    t.equal(written(from, change).slice(108), to, what);
  for (const field of [word.arpSha, word.ndTarget])
    t.throws(
      () =>
        written(solicitation(sll + sll), (key) => {
          key[field] = 7;
        }),
      { message: /two link-layer addresses of one kind/ },
    );
  const long = `0e03${'00'.repeat(22)}`;
  t.match(written(solicitation(nonce + nonce + sll), changes[1]![2]), /01010a0000000007$/);
  t.throws(
    () => written(solicitation(nonce + long + sll), changes[1]![2]),
    { message: /cut off/ },
    'as far as Open vSwitch counts',
  );
  t.match(written(solicitation(long + long + sll), changes[1]![2]), /01010a0000000007$/);
  const typed = written(`${solicitation('')}ee`, (key) => {
    key[word.tcpFlags] = 2;
  });
  t.equal(typed.slice(-2), '02', 'the type of an option that is not there goes into padding');
  const sctp = hexOf(
    encodeSctp({ srcPort: 1, dstPort: 2, verificationTag: 3 }, bytesOf('0102030405')),
  );
  const moved = bytesOf(
    written(ipv6('84', sctp), (key) => {
      key[word.tpSrc] = 9;
    }).slice(108),
  );
  t.hasStrict(decodeSctp(moved), { header: { srcPort: 9, dstPort: 2 }, checksum: 'valid' });
  const wrong = bytesOf(
    written(ipv6('84', `${sctp.slice(0, 16)}00000000${sctp.slice(24)}`), (key) => {
      key[word.tpSrc] = 9;
    }).slice(108),
  );
  t.equal(decodeSctp(wrong)?.checksum, 'invalid', 'what was wrong stays wrong');
  t.end();
});

void t.test('decoding undoes encoding', async () => {
  const octet = fc.integer({ min: 0, max: 0xff });
  const word16 = fc.integer({ min: 0, max: 0xffff });
  const number32 = fc.integer({ min: 0, max: 0xffffffff });
  const bits = (count: number) => fc.integer({ min: 0, max: 2 ** count - 1 });
  const address = fc.bigInt({ min: 0n, max: (1n << 128n) - 1n }).map(formatIpv6);
  const payload = fc.uint8Array({ maxLength: 40 });
  const record = <T>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> =>
    fc.record(fields, { noNullPrototype: true });
  const ip = record({ src: address, dst: address });
  fc.assert(
    fc.property(
      record({
        src: address,
        dst: address,
        nextHeader: octet,
        hopLimit: octet,
        trafficClass: octet,
        flowLabel: bits(20),
      }),
      payload,
      payload,
      (header, body, padding) =>
        deepStrictEqual(decodeIpv6(Uint8Array.from([...encodeIpv6(header, body), ...padding])), {
          header,
          payload: body,
        }),
    ),
  );
  fc.assert(
    fc.property(
      record({ type: octet, code: octet, rest: number32 }),
      payload,
      ip,
      (header, body, sides6) =>
        deepStrictEqual(decodeIcmp6(encodeIcmp6(header, body, sides6), sides6), {
          header,
          payload: body,
          checksum: 'valid',
        }),
    ),
  );
  fc.assert(
    fc.property(
      record({ srcPort: word16, dstPort: word16, verificationTag: number32 }),
      payload,
      (header, body) =>
        deepStrictEqual(decodeSctp(encodeSctp(header, body)), {
          header,
          payload: body,
          checksum: 'valid',
        }),
    ),
  );
  fc.assert(
    fc.property(
      record({ pcp: bits(3), dei: bits(1), vid: bits(12), etherType: word16 }),
      payload,
      (header, body) =>
        deepStrictEqual(decodeVlan(encodeVlan(header, body)), { header, payload: body }),
    ),
  );
  fc.assert(
    fc.property(
      record({ label: bits(20), tc: bits(3), bos: bits(1), ttl: octet }),
      payload,
      (header, body) =>
        deepStrictEqual(decodeMpls(encodeMpls(header, body)), { header, payload: body }),
    ),
  );
  const option = fc
    .uint8Array({ minLength: 6, maxLength: 6 })
    .map((mac) => addressOption('source', formatMac(mac)));
  fc.assert(
    fc.property(
      address,
      fc.array(option, { maxLength: 3 }),
      fc.uint8Array({ maxLength: 7 }),
      (nd, options, rest) =>
        deepStrictEqual(
          decodeNeighbour(Uint8Array.from([...encodeNeighbour(nd, options), ...rest])),
          { target: nd, options, rest },
        ),
    ),
  );
});

void t.test('known answers', (t) => {
  t.equal(
    sctpChecksum(bytesOf('00'.repeat(32))).toString(16),
    'aa36918a',
    '32 bytes of zeros (RFC 3720, appendix B.4)',
  );
  t.equal(
    hexOf(encodeExtension('hopByHop', 17, bytesOf('050200000100'))),
    '1100050200000100',
    'router alert (RFC 2711)',
  );
  t.equal(
    hexOf(encodeExtension('authentication', 6, new Uint8Array(22))),
    `0604${'00'.repeat(22)}`,
    'RFC 4302, section 2.2',
  );
  t.equal(
    hexOf(encodeFragment({ nextHeader: 6, offset: 3, more: 'more', identification: 5 })),
    '0600001900000005',
  );
  for (const [decode, length] of [
    [decodeVlan, 4],
    [decodeMpls, 4],
    [decodeSctp, 12],
    [decodeNeighbour, 16],
  ] as const)
    t.same(
      [
        decode(new Uint8Array(length)) === undefined,
        decode(new Uint8Array(length - 1)) === undefined,
      ],
      [false, true],
      decode.name,
    );
  t.end();
});

void t.test('bytes of any length are zeros, and ARP is known by its type', (t) => {
  for (const length of [0, 1, 1024, 1025, 20_000])
    t.equal(hexOf(emptyBytes(length)), '00'.repeat(length));
  t.same(
    ['0806', '0906', '0800', '0608', '0006'].map((type) => isArp(bytesOf(`${link}${type}`))),
    [true, false, false, false, false],
  );
  t.end();
});
