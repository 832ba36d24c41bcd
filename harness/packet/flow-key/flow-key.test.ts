// Goal: a switch reads from a frame what ovs-fields(7) and the RFCs say, and nothing from a header
// that is not there in full. Method: frames written down byte by byte, with each field that is not
// zero; every length and offset at which a header becomes whole.
import t from 'tap';
import { extract } from './extract/extract.js';
import { etherTypes } from '../protocols/link/ethernet.js';
import {
  countLabels,
  countTags,
  fragment,
  isIp,
  isTag,
  keyWords,
  tupleWords,
  word,
} from './flow-key.js';

const names = Object.keys(word) as (keyof typeof word)[];
/** How many words each field takes. */
const widths = Object.fromEntries(
  names.map((name, index) => [
    name,
    (index + 1 < names.length ? word[names[index + 1]!] : keyWords) - word[name],
  ]),
) as Record<keyof typeof word, number>;

/** Where the layers start, and the fields that are not zero, in hexadecimal digits. */
function read(hex: string): Readonly<Record<string, string | number>> {
  const key = new Uint32Array(keyWords);
  const { l3, l4 } = extract(Uint8Array.from(Buffer.from(hex, 'hex')), key);
  const digits = (name: keyof typeof word): string =>
    [...key.subarray(word[name], word[name] + widths[name])]
      .map((part) => part.toString(16).padStart(8, '0'))
      .join('')
      .replace(/^0+/, '');
  const values: Readonly<Record<string, string>> = Object.fromEntries(
    names.map((name) => [name, digits(name)] as const).filter(([, value]) => value !== ''),
  );
  return { l3, l4, ...values };
}

void t.test('tags and labels that a key holds', (t) => {
  const key = (at: number, ...words: readonly number[]): Uint32Array => {
    const made = new Uint32Array(keyWords);
    made.set(words, at);
    return made;
  };
  t.same(
    [[], [0x1005], [0x1005, 0x1006], [0x1005, 0x1006, 0xffffffff], [0, 0x1006]].map((words) =>
      countTags(key(word.vlanTci, ...words)),
    ),
    [0, 1, 2, 2, 0],
  );
  const labels = (type: number, ...entries: readonly number[]): number => {
    const made = key(word.mplsLse, ...entries);
    made[word.ethType] = type;
    return countLabels(made);
  };
  const stacks: readonly (readonly number[])[] = [
    [],
    [0x10100],
    [0x10000, 0x11100],
    [0, 0x100],
    [0x10100, 0x11000],
    [0x10000, 0x11000, 0x12000],
    [0x10000, 0x11000, 0x12000, 0xffffffff],
    [0x10000, 0, 0x12000],
  ];
  t.same(
    stacks.map((stack) => labels(etherTypes.mpls, ...stack)),
    [0, 1, 2, 2, 1, 3, 3, 2],
  );
  t.same([labels(etherTypes.mplsMulticast, 0x10100), labels(etherTypes.ipv4, 0x10100)], [1, 0]);
  t.same([etherTypes.ipv4, etherTypes.ipv6, etherTypes.arp].map(isIp), [true, true, false]);
  t.end();
});

void t.test('what distinguishes connections', (t) => {
  const fields = ['nwSrc', 'nwDst', 'tpSrc', 'tpDst', 'ipv6Src', 'ipv6Dst'] as const;
  t.strictSame(
    tupleWords,
    fields.flatMap((name) =>
      Array.from({ length: name.startsWith('ipv6') ? 4 : 1 }, (_, index) => word[name] + index),
    ),
  );
  t.end();
});

void t.test('each field has words of its own', (t) => {
  t.equal(word.inPort, 0);
  const { reg, tunMetadata, vlanTci, vlanTpid, mplsLse, ...others } = widths;
  t.same(
    { reg, tunMetadata, vlanTci, vlanTpid, mplsLse },
    { reg: 32, tunMetadata: 64, vlanTci: 2, vlanTpid: 2, mplsLse: 3 },
    'registers, tunnel options, tags and labels',
  );
  const wide =
    /^(metadata|tun(Id|Options)|eth(Src|Dst)|arp(Sha|Tha)|(tun|ct)?(i|I)pv6(Src|Dst)|ctLabel|ndTarget)$/;
  for (const [name, words] of Object.entries(others))
    t.equal(words, !wide.test(name) ? 1 : /pv6|Label|Target/.test(name) ? 4 : 2, name);
  t.ok(
    names.indexOf('ethSrc') > names.indexOf('tunMetadata') &&
      names.indexOf('ethSrc') > names.indexOf('pktMark'),
    'what is read from frames comes last',
  );
  // enum of ovs-fields(7), ip_frag
  t.same(fragment, { any: 1, later: 2 });
  t.end();
});

const link = '0a000a0a0001aabbccddeeff';
const linkFields = { ethDst: 'a000a0a0001', ethSrc: 'aabbccddeeff' };
const arp = '00010800060400010a000a0a00020a0a0002aabbccddeeff0a0a0003';
const arpFields = {
  nwProto: '1',
  nwSrc: 'a0a0002',
  nwDst: 'a0a0003',
  arpSha: 'a000a0a0002',
  arpTha: 'aabbccddeeff',
};
// TTL 63, TOS 0xb9, SCTP, 10.10.0.2 > 10.10.1.2
const sctp = '45b9002000000000' + '3f8466a10a0a00020a0a0102' + '0b590b5a0000000112345678';
const sctpFields = {
  ethType: '800',
  nwSrc: 'a0a0002',
  nwDst: 'a0a0102',
  nwProto: '84',
  nwTos: 'b9',
  nwTtl: '3f',
  tpSrc: 'b59',
  tpDst: 'b5a',
};

void t.test('link layer', (t) => {
  const untagged = { l3: 14, l4: -1, ...linkFields };
  t.same(read(`${link}08`), { l3: -1, l4: -1 }, 'no whole Ethernet header');
  t.same(read(`${link}88cc`), { ...untagged, ethType: '88cc' }, 'nothing behind it');
  t.same(
    read(`${link}8100e00588cc`),
    { ...untagged, l3: 18, ethType: '88cc', vlanTci: 'f00500000000', vlanTpid: '810000000000' },
    '802.1Q: priority 7, VLAN 5',
  );
  t.same(read(`${link}8100600588`), { ...untagged, ethType: '8100' }, 'no whole tag');
  t.same(
    read(`${link}88a8000a0806${arp}`),
    {
      ...untagged,
      l3: 18,
      ethType: '806',
      vlanTci: '100a00000000',
      vlanTpid: '88a800000000',
      ...arpFields,
    },
    '802.1ad',
  );
  t.same(
    read(`${link}0600aaaa0300000008060001`),
    { ...untagged, ethType: '600' },
    'the first number that is a type (IEEE 802.3)',
  );
  t.same(
    read(`${link}05ffaaaa030000000806${arp}`),
    { ...untagged, l3: 22, ethType: '806', ...arpFields },
    'a length, LLC and SNAP (RFC 1042)',
  );
  t.same(
    read(`${link}0024aaaa0300000088cc`),
    { ...untagged, l3: 22, ethType: '88cc' },
    'SNAP and nothing behind it',
  );
  t.same(
    read(`${link}0024aaaa0300000005ff`),
    { ...untagged, l3: 22, ethType: '5ff' },
    'SNAP with a number that is no type',
  );
  t.same(
    read(`${link}0024aaaa030000000600`),
    { ...untagged, l3: 22, ethType: '600' },
    'SNAP with the first number that is one',
  );
  for (const other of [
    'aaaa0300000008',
    'aaaa030000010806',
    'aaaa030100000806',
    'aaab030000000806',
    '4242030000000000',
  ])
    t.same(read(`${link}0026${other}`), { ...untagged, ethType: '5ff' }, `no SNAP: ${other}`);
  t.same([0x8100, 0x88a8, 0x0800].map(isTag), [true, true, false]);
  t.end();
});

void t.test('ARP', (t) => {
  const nothing = { l3: 14, l4: -1, ...linkFields };
  t.same(read(`${link}0806${arp}`), { ...nothing, ethType: '806', ...arpFields });
  t.same(read(`${link}8035${arp}`), { ...nothing, ethType: '8035', ...arpFields }, 'RARP');
  t.same(read(`${link}0806${arp.slice(0, -2)}`), { ...nothing, ethType: '806' }, 'cut short');
  for (const other of [
    '0006080006040001',
    '0001080106040001',
    '0001080008040001',
    '0001080006100001',
  ])
    t.same(
      read(`${link}0806${other}${arp.slice(16)}`),
      { ...nothing, ethType: '806' },
      `not for IPv4 over Ethernet: ${other}`,
    );
  const { nwProto: _, ...others } = arpFields;
  for (const [operation, nwProto] of [
    ['00ff', 'ff'],
    ['0100', undefined],
  ] as const) {
    t.same(
      read(`${link}0806000108000604${operation}${arp.slice(16)}`),
      { ...nothing, ethType: '806', ...others, ...(nwProto === undefined ? {} : { nwProto }) },
      `operation 0x${operation}: one byte of it has a field`,
    );
  }
  t.end();
});

void t.test('IPv4', (t) => {
  const ipv4 = `${link}0800`;
  const nothing = { l3: 14, l4: -1, ...linkFields, ethType: '800' };
  const {
    tpSrc: _source,
    tpDst: _destination,
    ...addresses
  } = { l3: 14, l4: 34, ...linkFields, ...sctpFields };
  t.same(read(`${ipv4}${sctp}`), { l3: 14, l4: 34, ...linkFields, ...sctpFields });
  t.same(read(`${ipv4}${sctp}0000`), { l3: 14, l4: 34, ...linkFields, ...sctpFields }, 'padding');
  t.same(
    read(`${link}86dd${sctp}`),
    { ...nothing, ethType: '86dd' },
    'another type is not read as IPv4',
  );
  t.same(read(`${ipv4}${sctp.slice(0, -2)}`), nothing, 'shorter than it says');
  t.same(
    read(`${ipv4}45b9000000000000${sctp.slice(16)}`),
    nothing,
    'its length is less than its header',
  );
  t.same(read(`${ipv4}45b9001300000000${sctp.slice(16)}`), nothing, 'by one byte');
  t.same(read(`${ipv4}44b9002000000000${sctp.slice(16)}`), nothing, 'a header of 16 bytes');
  t.same(
    read(`${ipv4}45b9001400000000${sctp.slice(16, 40)}`),
    addresses,
    'a header and nothing else',
  );
  for (const bytes of [0, 1, 19])
    t.same(
      read(`${ipv4}${sctp.slice(0, 2 * bytes)}`),
      nothing,
      `a header of which ${bytes} bytes are there`,
    );
  t.same(
    read(`${ipv4}46b9002400000000${sctp.slice(16, 40)}94040000${sctp.slice(40)}`),
    { l3: 14, l4: 38, ...linkFields, ...sctpFields },
    'options',
  );
  const flagged = (flags: string): string => `${ipv4}45b900200000${flags}${sctp.slice(16)}`;
  t.same(
    read(flagged('4000')),
    { l3: 14, l4: 34, ...linkFields, ...sctpFields },
    'do not fragment',
  );
  t.same(
    read(flagged('2000')),
    { l3: 14, l4: 34, ...linkFields, ...sctpFields, nwFrag: '1' },
    'a first fragment',
  );
  for (const later of ['0001', '1000', '3fff'])
    t.same(
      read(flagged(later)),
      { ...addresses, nwFrag: '3' },
      `a later fragment has no ports: ${later}`,
    );
  t.end();
});

void t.test('what IPv4 carries', (t) => {
  const packet = (protocol: string, body: string): string =>
    `${link}080045000${(20 + body.length / 2).toString(16).padStart(3, '0')}` +
    `0000000040${protocol}00000a0a00020a0a0102${body}`;
  const around = (nwProto: string) => ({
    l3: 14,
    l4: 34,
    ...linkFields,
    ethType: '800',
    nwSrc: 'a0a0002',
    nwDst: 'a0a0102',
    nwTtl: '40',
    nwProto,
  });
  const tcp = (offset: string, length = 20): string =>
    `c0001f900102030405060708${offset}ffff00000000020405b4`.slice(0, length * 2);
  const rows: readonly (readonly [what: string, protocol: string, body: string, fields: object])[] =
    [
      [
        'TCP, every flag and reserved bit but one',
        '06',
        tcp('5fb7'),
        { tpSrc: 'c000', tpDst: '1f90', tcpFlags: 'fb7' },
      ],
      [
        'TCP with an option',
        '06',
        tcp('6012', 24),
        { tpSrc: 'c000', tpDst: '1f90', tcpFlags: '12' },
      ],
      ['TCP without a whole header', '06', tcp('5012', 19), {}],
      ['TCP that ends before it says how long its header is', '06', tcp('', 4), {}],
      ['TCP that says its header is shorter than one', '06', tcp('4012'), {}],
      ['TCP that says its header is longer than all of it', '06', tcp('6012'), {}],
      ['UDP', '11', '04d200070008abcd', { tpSrc: '4d2', tpDst: '7' }],
      ['UDP without a whole header', '11', '04d200070008ab', {}],
      ['SCTP without a whole header', '84', '0b590b5a00000001123456', {}],
      ['ICMP', '01', '0305abcd00000000', { tpSrc: '3', tpDst: '5' }],
      ['ICMP without a whole header', '01', '0305abcd000000', {}],
      ['another protocol', 'fd', '0305abcd00000000', {}],
    ];
  for (const [what, protocol, body, fields] of rows)
    t.same(
      read(packet(protocol, body)),
      { ...around(Number(`0x${protocol}`).toString(16)), ...fields },
      what,
    );
  t.end();
});

void t.test('what was in the key stays where a frame has no say, and goes where it has', (t) => {
  const key = new Uint32Array(keyWords).fill(7);
  extract(new Uint8Array(13), key);
  t.same(
    key,
    Uint32Array.from({ length: keyWords }, (_, index) => (index < word.ethSrc ? 7 : 0)),
  );
  t.end();
});
