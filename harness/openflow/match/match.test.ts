// Goal: a match asks for the bits that its text names, in the fields that have them, and what no
// switch takes is refused. Method: tables of spellings with what is printed, in every form, and of
// exact refusals; bits of tags and of views. What real switches print is in corpus/.
import t from 'tap';
import { complaint } from '../../base/errors/errors.js';
import { fieldCalled } from './fields.js';
import { parseFlow } from '../flows/flow.js';
import { noNames, type Names, type Protocol } from '../syntax/form.js';
import { matchOfBits, type Match } from './match.js';
import { type FieldMatch } from './field-match.js';
import { printMatch } from './print-match.js';

const oneOption: Names = {
  ...noNames,
  tunnelOptions: new Map([[0, { class: 0x102, type: 0x80, bytes: 4 }]]),
};
const read = (text: string, names = noNames): Match =>
  parseFlow(`${text},actions=drop`, names).match;

void t.test('bits of fields', (t) => {
  const longest = `tun_metadata0=0x${'f'.repeat(248)}`;
  for (const [text, printed] of [
    ['NXM_NX_REG0[3]=1', 'reg0=0x8/0x8'],
    ['NXM_NX_REG0[3..3]=1', 'reg0=0x8/0x8'],
    ['NXM_NX_REG0[4..7]=15', 'reg0=0xf0/0xf0'],
    ['NXM_NX_REG0[0..31]=1', 'reg0=0x1'],
    ['NXM_NX_XXREG0[100..101]=3', 'reg0=0x30/0x30'],
    ['NXM_OF_IN_PORT[]=1', 'in_port=1'],
    ['xreg1=5', 'reg2=0,reg3=0x5'],
    ['xxreg0=0x100000002000000030000000400/0xff00000fff', 'reg2=0/0xff,reg3=0x400/0xfff'],
    ['ip,ip_dscp=3', 'ip,nw_tos=12'],
    ['vlan_vid=0x1005/0x1fff,dl_vlan_pcp=1', 'dl_vlan=5,dl_vlan_pcp=1'],
    ['vlan_vid=0x1005/0x100f,vlan_vid=0x1005/0x100f', 'vlan_tci=0x1005/0x100f'],
    ['gtpu_flags=0/0', ''],
    ['gtpu_flags=3/7', 'tun_gtpu_flags=0x3/0x7'],
    ['tun_metadata0', 'tun_metadata0'],
    ['tun_metadata0=', 'tun_metadata0'],
    [longest, longest],
  ] as const)
    t.equal(printMatch(read(text)), printed, text);
  t.end();
});

void t.test('refusals', (t) => {
  const words =
    'icmp, tcp, udp, sctp, ip, icmp6, tcp6, udp6, sctp6, ipv6, arp, rarp, mpls, mplsm, ipv4, ' +
    'ip4, ip6, eth';
  for (const [text, message] of [
    ['ip=1', '1: unknown field "ip"'],
    ['+reg0=1', '1: unknown field "+reg0"'],
    ['reg0+=1', '1: unknown field "reg0+"'],
    ['reG0=1', '1: unknown field "reG0"'],
    ['REG0=1', '1: expected REG0[] with brackets, or the name in small letters'],
    ...['tun_metadata', 'xtun_metadata0', 'tun_metadata0x'].map(
      (word) => [word, `1: expected FIELD=VALUE or one of ${words}, got "${word}"`] as const,
    ),
    ['tun_metadata1=1', '1: tun_metadata1 stands for no option of the tlv-map'],
    ['NXM_NX_REG0[5..3]=0', '19: reg0 has bits 0 to 31, got 5..3'],
    ['NXM_NX_REG0[0..32]=1', '20: reg0 has bits 0 to 31, got 0..32'],
    ['NXM_NX_REG0[4..7]=16', '19: reg0: expected a number from 0 to 15, got "16"'],
    ['NXM_OF_IN_PORT[0..3]=1', '22: in_port takes no mask'],
    ['gtpu_flags=0', '12: tun_gtpu_flags cannot be matched as zero: Open vSwitch loses it'],
    ['vlan_vid=0x1005/0x100f,vlan_vid=0x1005', '24: vlan_tci is matched twice'],
    ['nw_dst=10.0.0.1', '1: nw_dst needs a match on ip or arp or rarp beside it'],
    [
      'tp_dst=80',
      '1: tp_dst needs a match on tcp or udp or sctp or icmp or icmp6 beside it, ' +
        'and not on later fragments',
    ],
  ] as const)
    t.equal(
      complaint(() => read(text, oneOption)),
      `flow:1:${message}`,
      text,
    );
  const tooLong = `tun_metadata0=0x1${'0'.repeat(248)}`;
  t.match(
    complaint(() => read(tooLong)),
    /^flow:1:15: tun_metadata0: expected a number of at most 992 bits/,
  );
  t.end();
});

void t.test('tags, and masks of fields of tunnels, in every version', (t) => {
  const inAll = (text: string): readonly string[] =>
    (['OpenFlow10', 'OpenFlow13', 'OpenFlow15'] as const).map((protocol: Protocol) =>
      printMatch(read(text), { protocol, ...noNames }),
    );
  t.same(
    inAll('vlan_tci=0x2000/0xe000'),
    ['vlan_tci=0x2000/0xe000', '', ''],
    'later ones know priorities of tags that are there alone',
  );
  t.same(inAll('vlan_tci=0x3005/0x3fff'), [
    'vlan_tci=0x3005/0x3fff',
    'dl_vlan=5,dl_vlan_pcp=1',
    'dl_vlan=5,dl_vlan_pcp=1',
  ]);
  t.same(inAll('gtpu_flags=3/7'), ['gtpu_flags=0x3', 'gtpu_flags=0x3', 'gtpu_flags=0x3']);
  t.end();
});

void t.test('what is asked for twice counts as it is asked for last, bits beside others', (t) => {
  for (const [text, printed] of [
    ['xxreg0=0x1/0xf,reg3=1', 'reg3=0x1'],
    ['reg3=1,xxreg0=0x10/0xf0', 'reg3=0x10/0xf0'],
    ['reg0=0,xreg0=0x1/0x1', 'reg1=0x1/0x1'],
    ['reg0=5,reg0=0x60/0xf0', 'reg0=0x60/0xf0'],
    ['NXM_NX_REG0[0..3]=5,NXM_NX_REG0[4..7]=6', 'reg0=0x65/0xff'],
    ['reg0=5,NXM_NX_REG0[4..7]=6', 'reg0=0x65'],
    ['NXM_NX_REG0[0..3]=5,reg0=6', 'reg0=0x6'],
    ['reg0=1,metadata=5,reg0=*', 'metadata=0x5'],
    ['ip,nw_src=*,dl_vlan=*', 'ip'],
    ['dl_vlan=5,vlan_tci=0/0', 'dl_vlan=5'],
    ['dl_vlan=5,dl_vlan_pcp=*', 'dl_vlan=5'],
    ['reg0=5,reg3=0xf0/0xf0,NXM_NX_XXREG0[0..3]=1', 'reg0=0x5,reg3=0xf1/0xff'],
  ] as const)
    t.equal(printMatch(read(text)), printed, text);
  t.end();
});

void t.test('a match of bits', (t) => {
  const bits = (name: string, value: bigint, mask: bigint): FieldMatch => ({
    field: fieldCalled(name),
    value,
    mask,
  });
  t.equal(printMatch(matchOfBits([bits('dl_vlan', 5n, 0xfffn)])), 'dl_vlan=5');
  t.equal(printMatch(matchOfBits([bits('vlan_pcp', 5n, 7n)])), 'dl_vlan_pcp=5');
  t.equal(
    printMatch(
      matchOfBits([bits('reg0', 5n, 0xfn), bits('reg0', 0x60n, 0xf0n), bits('reg0', 2n, 3n)]),
    ),
    'reg0=0x66/0xff',
    'later ones take the place of earlier ones',
  );
  t.equal(
    printMatch(matchOfBits([bits('xxreg0', (1n << 96n) | 5n, (0xffn << 96n) | 0xfn)])),
    'reg0=0x1/0xff,reg3=0x5/0xf',
    'and no part of a view that nobody asks for',
  );
  t.end();
});
