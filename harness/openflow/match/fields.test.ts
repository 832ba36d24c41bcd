/**
 * Goal: every field that ovs-fields(7) documents is there by each of its names, as wide, maskable
 * and writable as it says. Method: its tables, frozen in corpus/fields.txt.
 */
import { readFileSync } from 'node:fs';
import t from 'tap';
import { word } from '../../packet/flow-key/flow-key.js';
import { fieldCalled, fields, fieldsNamed, wordsOf } from './fields.js';

const lines = readFileSync(
  new URL('../../../../harness/openflow/testkit/corpus/fields.txt', import.meta.url),
  'utf8',
)
  .trimEnd()
  .split('\n');

/**
 * Bits that can be other than zero, where not all can: the others of ct_state have no meaning, two
 * of nw_tos are ECN, and Open vSwitch reads eight of arp_op.
 */
const inUse: Readonly<Record<string, bigint>> = { ct_state: 0xffn, nw_tos: 0xfcn, arp_op: 0xffn };

void t.test('the fields of ovs-fields(7)', async (t) => {
  for (const line of lines) {
    const [, names = '', properties = ''] = /^([^:]*): (.*)$/.exec(line) ?? [];
    const [name = '', ...others] = names.split(' ');
    if (name.startsWith('nsh_')) {
      t.strictSame(fieldsNamed(name), [], `${name}: NSH is refused by name`);
      continue;
    }
    const field = fieldCalled(name);
    for (const other of others)
      t.ok(fieldsNamed(other).includes(field), `${name} is called ${other}`);
    t.equal(
      `${field.bits} bits, ${field.maskable ? 'masks' : 'whole'}, ` +
        (field.writable === 'nowhere' ? 'read-only' : 'read/write'),
      properties,
      name,
    );
    t.equal(field.ones, inUse[name] ?? (1n << BigInt(field.bits)) - 1n, name);
  }
});

void t.test('registers and options are as many as Open vSwitch has', async (t) => {
  for (const [name, count] of [
    ['reg', 32],
    ['xreg', 16],
    ['xxreg', 8],
    ['tun_metadata', 64],
  ] as const)
    t.equal(fields.filter((field) => field.name.replace(/\d+$/, '') === name).length, count, name);
  const words = (name: string) =>
    Array.from(
      { length: wordsOf(fieldCalled(name)) },
      (_, index) => fieldCalled(name).word + index - word.reg,
    );
  t.strictSame(
    [words('reg31'), words('xreg15'), words('xxreg3'), words('xxreg7')],
    [[31], [30, 31], [12, 13, 14, 15], [28, 29, 30, 31]],
  );
  t.strictSame(
    [
      [32, 0],
      [33, 0],
      [66, 0],
      [20, 12],
      [3, 13],
    ].map(([bits = 0, shift = 0]) => wordsOf({ ...fieldCalled('reg0'), bits, shift })),
    [1, 2, 3, 1, 1],
  );
  t.strictSame(
    ['reg15', 'reg16', 'xxreg3', 'xxreg4'].map((name) => fieldCalled(name).nxm),
    ['NXM_NX_REG15', 'NXOXM_ET_REG16', 'NXM_NX_XXREG3', 'NXOXM_ET_XXREG4'],
  );
});

void t.test('names that several fields go by: the protocol decides', async (t) => {
  const named = (name: string) =>
    fieldsNamed(name)
      .map((field) => field.name)
      .join(' ');
  t.strictSame(
    ['tp_src', 'tp_dst', 'nw_src', 'nw_dst', 'nw_proto', 'icmp_type', 'icmp_code'].map(named),
    [
      'tcp_src udp_src sctp_src icmp_type icmpv6_type',
      'tcp_dst udp_dst sctp_dst icmp_code icmpv6_code',
      'ip_src arp_spa',
      'ip_dst arp_tpa',
      'nw_proto arp_op',
      'icmp_type icmpv6_type',
      'icmp_code icmpv6_code',
    ],
  );
  const own = (name: string) => {
    const { name: called, matchName, nxm, bits } = fieldCalled(name);
    return [called, matchName, nxm, bits];
  };
  t.strictSame(
    ['skb_priority', 'dl_vlan', 'dl_vlan_pcp', 'tun_tos', 'tun_ttl'].map(own),
    (
      [
        ['skb_priority', 32],
        ['dl_vlan', 12],
        ['dl_vlan_pcp', 3],
        ['tun_tos', 8],
        ['tun_ttl', 8],
      ] as const
    ).map(([name, bits]) => [name, name, name, bits]),
    'known without standing in ovs-fields(7)',
  );
});

void t.test('bits that share a word', async (t) => {
  const bits = (name: string) =>
    ((1n << BigInt(fieldCalled(name).bits)) - 1n) << BigInt(fieldCalled(name).shift);
  t.strictSame(['mpls_label', 'mpls_tc', 'mpls_bos', 'mpls_ttl'].map(bits), [
    0xfffff000n,
    0xe00n,
    0x100n,
    0xffn,
  ]);
  t.strictSame(['dl_vlan', 'vlan_vid', 'dl_vlan_pcp', 'vlan_pcp', 'ip_dscp', 'nw_ecn'].map(bits), [
    0xfffn,
    0xfffn,
    0xe000n,
    0xe000n,
    0xfcn,
    0x3n,
  ]);
  t.throws(() => fieldCalled('no such field'), { message: /no field/ });
});
