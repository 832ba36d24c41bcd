/**
 * Goal: flows are read in every spelling, printed in one, refused with the place and the reason,
 * and a diff leads from any flows to any others. Method: properties over any flow of the language;
 * tables of spellings and of exact errors; hostile text.
 */
import { deepStrictEqual, ok, strictEqual, throws } from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { InputError } from '../base/errors/errors.js';
import { anyFlow } from './testkit/arbitrary-flow.js';
import { compareFlows, diffFlows } from './flows/diff-flows.js';
import { unquote } from './syntax/ports.js';
import { printMatch } from './match/print-match.js';
import { parseFlowRequest } from './flows/flow-request.js';
import { noNames } from './syntax/form.js';
import {
  parseDumpedFlow,
  parseFlow,
  parseFlows,
  printFlow,
  printFlowKey,
  type Flow,
} from './flows/flow.js';

const names = {
  ...noNames,
  ports: new Map([
    ['p1', 3],
    ['antrea-gw0', 2],
    ['my port', 7],
    ['br-int', 0xfffe],
  ]),
};

void t.test('printing and parsing are inverse', async () => {
  fc.assert(
    fc.property(anyFlow, (flow) => deepStrictEqual(parseFlow(printFlow(flow)), flow)),
    { numRuns: 300 },
  );
});

/** Spellings, and how each is printed. */
const spellings: readonly (readonly [spelling: string, printed: string])[] = [
  ['actions=drop', 'table=0, priority=32768 actions=drop'],
  ['table=3,priority=7,actions=1', 'table=3, priority=7 actions=output:1'],
  ['priority=5\tip \t actions = drop', 'table=0, priority=5,ip actions=drop'],
  ['  priority=5 , ip , , actions=drop  ', 'table=0, priority=5,ip actions=drop'],
  ['priority=0x5,actions=drop', 'table=0, priority=5 actions=drop'],
  // Dumps of ovs-ofctl and of bridge/dump-flows.
  [
    'cookie=0x1, duration=1.5s, table=9, n_packets=5, n_bytes=300, idle_age=3, priority=1,arp ' +
      'actions=NORMAL',
    'cookie=0x1, table=9, priority=1,arp actions=NORMAL',
  ],
  [
    'table_id=10, duration=35s, n_packets=0, n_bytes=0, priority=1,ip,actions=drop',
    'table=10, priority=1,ip actions=drop',
  ],
  [
    'duration=35s, n_packets=0, n_bytes=0, send_flow_rem check_overlap idle_timeout=0, ' +
      'importance=3, priority=1,actions=drop',
    'table=0, send_flow_rem check_overlap importance=3, priority=1 actions=drop',
  ],
  // Matches.
  ['dl_type=0x0800,nw_proto=6,actions=drop', 'table=0, priority=32768,tcp actions=drop'],
  [
    'eth_type=0x800,ip_proto=17,udp_dst=53,actions=drop',
    'table=0, priority=32768,udp,tp_dst=53 actions=drop',
  ],
  [
    'tp_dst=80,nw_src=10.0.0.1,tcp,actions=drop',
    'table=0, priority=32768,tcp,nw_src=10.0.0.1,tp_dst=80 actions=drop',
  ],
  [
    'udp,tp_dst=0xff00/0xff00,actions=drop',
    'table=0, priority=32768,udp,tp_dst=0xff00/0xff00 actions=drop',
  ],
  ['ip,nw_proto=89,actions=drop', 'table=0, priority=32768,ip,nw_proto=89 actions=drop'],
  ['dl_type=0x86dd,actions=drop', 'table=0, priority=32768,ipv6 actions=drop'],
  ['dl_type=0x600,actions=drop', 'table=0, priority=32768,dl_type=0x0600 actions=drop'],
  [
    'ip,ip_src=10.1.2.3/8,nw_dst=10.1.2.3/255.0.255.0,actions=drop',
    'table=0, priority=32768,ip,nw_src=10.0.0.0/8,nw_dst=10.0.2.0/255.0.255.0 actions=drop',
  ],
  ['ip,nw_dst=10.0.0.0/0,actions=drop', 'table=0, priority=32768,ip actions=drop'],
  [
    'reg0=0x1ff/0xff,reg1=5,reg2=7/0,actions=drop',
    'table=0, priority=32768,reg0=0xff/0xff,reg1=0x5 actions=drop',
  ],
  ['ct_state=-new+trk,actions=drop', 'table=0, priority=32768,ct_state=-new+trk actions=drop'],
  ['ct_state=0x20/0x21,actions=drop', 'table=0, priority=32768,ct_state=-new+trk actions=drop'],
  [
    'ct_state=trk|new,ct_zone=0x5,actions=drop',
    'table=0, priority=32768,ct_state=new|trk,ct_zone=5 actions=drop',
  ],
  ['ct_state=0,actions=drop', 'table=0, priority=32768,ct_state=0 actions=drop'],
  ['vlan_tci=0,actions=drop', 'table=0, priority=32768,vlan_tci=0x0000/0x1fff actions=drop'],
  ['ip,ip_frag=no,actions=drop', 'table=0, priority=32768,ip,nw_frag=no actions=drop'],
  [
    'eth_dst=FF:ff:00:00:00:01,actions=drop',
    'table=0, priority=32768,dl_dst=ff:ff:00:00:00:01 actions=drop',
  ],
  ['in_port=p1,actions=LOCAL', 'table=0, priority=32768,in_port=3 actions=LOCAL'],
  [
    'in_port="my port",actions=output:"antrea-gw0","my port",p1',
    'table=0, priority=32768,in_port=7 actions=output:2,output:7,output:3',
  ],
  ['in_port=br-int,actions=output:br-int', 'table=0, priority=32768,in_port=LOCAL actions=LOCAL'],
];

void t.test('spellings', async (t) => {
  for (const [spelling, printed] of spellings)
    t.equal(printFlow(parseFlow(spelling, names)), printed, spelling);
  t.equal(
    parseDumpedFlow('table=9, n_packets=5, priority=1,arp actions=NORMAL').statistics?.packets,
    5n,
  );
  t.strictSame(Object.keys(parseDumpedFlow('actions=drop')), ['flow']);
  t.throws(() => parseDumpedFlow('drop'), { message: 'flow:1:1: expected "actions=" in "drop"' });
  t.strictSame(
    parseFlows('# one\n\n actions=drop\r\n\t# two\nip,actions=1\n', 'f').map(printFlow),
    ['table=0, priority=32768 actions=drop', 'table=0, priority=32768,ip actions=output:1'],
  );
});

/** Texts that are refused, and the exact words. */
const refusals: readonly (readonly [text: string, message: string])[] = [
  ['', '1: expected "actions=" in ""'],
  ['drop', '1: expected "actions=" in "drop"'],
  // Table, priority and what else stands before a match.
  ['table=254,actions=drop', '7: table: expected a number from 0 to 253, got "254"'],
  ['priority=-1,actions=drop', '10: priority: expected a number from 0 to 65535, got "-1"'],
  ['priority=65536,actions=drop', '10: priority: expected a number from 0 to 65535, got "65536"'],
  ['priority=,actions=drop', '10: priority: expected a number from 0 to 65535, got ""'],
  [
    'priority=99999999999999999999999999999999999999999999999999,actions=drop',
    '10: priority: expected a number from 0 to 65535, got ' +
      '"9999999999999999999999999999999999999..."',
  ],
  [
    'n_packets=x,actions=drop',
    '11: n_packets: expected a number from 0 to 18446744073709551615, got "x"',
  ],
  [
    'idle_timeout=65536,actions=drop',
    '14: idle_timeout: expected a number from 0 to 65535, got "65536"',
  ],
  ['duration=x,actions=drop', '10: duration: expected seconds such as 12.345s, got "x"'],
  // Matches.
  ['ip,foo=1,actions=drop', '4: unknown field "foo"'],
  [
    'ip, toString,actions=drop',
    '5: expected FIELD=VALUE or one of icmp, tcp, udp, sctp, ip, icmp6, tcp6, udp6, sctp6, ' +
      'ipv6, arp, rarp, mpls, mplsm, ipv4, ip4, ip6, eth, got "toString"',
  ],
  ['nw_dst=10.0.0.1,actions=drop', '1: nw_dst needs a match on ip or arp or rarp beside it'],
  [
    'ip,tp_dst=80,actions=drop',
    '4: tp_dst needs a match on tcp or udp or sctp or icmp or icmp6 beside it, and not on ' +
      'later fragments',
  ],
  [
    'udp,tp_dst=80,nw_frag=later,actions=drop',
    '5: tp_dst needs a match on tcp or udp or sctp or icmp or icmp6 beside it, and not on ' +
      'later fragments',
  ],
  ['ip,arp_spa=10.0.0.1,actions=drop', '4: arp_spa needs a match on arp or rarp beside it'],
  ['ipv6_src=::1,actions=drop', '1: ipv6_src needs a match on ipv6 beside it'],
  ['nw_ttl=1,actions=drop', '1: nw_ttl needs a match on ip or ipv6 beside it'],
  [
    'nd_target=::1,actions=drop',
    '1: nd_target needs a match on icmp6,icmp_type=135,icmp_code=0 or ' +
      'icmp6,icmp_type=136,icmp_code=0 beside it',
  ],
  [
    'packet_type=(1,0x800),dl_src=0a:00:00:00:00:01,actions=drop',
    '23: dl_src needs a match on packet_type=(0,0) beside it',
  ],
  ['mpls_label=1,actions=drop', '1: mpls_label needs a match on mpls or mplsm beside it'],
  [
    'ct_nw_src=1.2.3.4,actions=drop',
    '1: ct_nw_src needs a match on ct_state=+trk-inv,ip beside it',
  ],
  [
    'ct_state=+trk-inv,ip,ct_ipv6_src=::1,actions=drop',
    '22: ct_ipv6_src needs a match on ct_state=+trk-inv,ipv6 beside it',
  ],
  [
    'ct_state=+trk-inv,ct_tp_src=1,actions=drop',
    '19: ct_tp_src needs a match on ct_state=+trk-inv,ct_nw_proto=6 beside it',
  ],
  [
    'tun_erspan_idx=1,actions=drop',
    '1: tun_erspan_idx needs a match on tun_erspan_ver=1 beside it',
  ],
  [
    'tun_erspan_ver=1,tun_erspan_dir=1,actions=drop',
    '18: tun_erspan_dir needs a match on tun_erspan_ver=2 beside it',
  ],
  ['tcp6,icmpv6_type=1,actions=drop', '6: icmpv6_type needs a match on icmp6 beside it'],
  ['ip,arp,actions=drop', '4: dl_type is matched twice'],
  ['tcp,udp,actions=drop', '5: nw_proto is matched twice'],
  [
    'ip,nw_src=10.0.0.256,actions=drop',
    '11: expected an IPv4 address such as 10.10.0.1, got "10.0.0.256"',
  ],
  [
    'ip,nw_src=10.0.0.0/33,actions=drop',
    '20: nw_src: prefix length: expected a number from 0 to 32, got "33"',
  ],
  ['dl_dst=0x1,actions=drop', '8: expected a MAC address such as 0a:00:0a:0a:00:01, got "0x1"'],
  [
    'reg0=0x100000000,actions=drop',
    '6: reg0: expected a number from 0 to 4294967295, got "0x100000000"',
  ],
  ['reg0=1/x,actions=drop', '8: reg0: expected a number from 0 to 4294967295, got "x"'],
  ['ct_zone=1/1,actions=drop', '11: ct_zone takes no mask, got "1"'],
  ['ip,nw_tos=5,actions=drop', '11: nw_tos cannot be 5: it has the bits 0xfc'],
  ['arp,arp_op=300,actions=drop', '12: arp_op: expected a number from 0 to 255, got "300"'],
  ['dl_vlan=5000000,actions=drop', '9: dl_vlan: expected a number from 0 to 65535, got "5000000"'],
  [
    'ip,nw_frag=1,actions=drop',
    '12: nw_frag: expected one of no, yes, first, later, not_later, got "1"',
  ],
  [
    'ct_state=+trk+gone,actions=drop',
    '10: ct_state: unknown flag "gone"; known: new, est, rel, rpl, inv, trk, snat, dnat',
  ],
  [
    'ct_state=trk-new,actions=drop',
    '10: ct_state: unknown flag "trk-new"; known: new, est, rel, rpl, inv, trk, snat, dnat',
  ],
  ['ct_state=+trk-trk,actions=drop', '10: ct_state: trk is given twice'],
  [
    'in_port=p9,actions=drop',
    '9: unknown port "p9"; ports of this bridge: p1, antrea-gw0, my port, br-int',
  ],
  ['in_port=0xfff8,actions=drop', '9: port: expected a number from 0 to 65279, got "0xfff8"'],
  [
    'ip,nw_frag=constructor,actions=drop',
    '12: nw_frag: expected one of no, yes, first, later, not_later, got "constructor"',
  ],
  ...['0(1,0x800)', '(1,0x800)0'].map(
    (type) =>
      [
        `packet_type=${type},actions=drop`,
        `13: packet_type: expected (NAMESPACE,TYPE) such as (1,0x800), got "${type}"`,
      ] as const,
  ),
  [
    'packet_type=(0x10000,0),actions=drop',
    '14: packet_type: expected a number from 0 to 65535, got "0x10000"',
  ],
  [
    'packet_type=(1,0x10000),actions=drop',
    '16: packet_type: expected a number from 0 to 65535, got "0x10000"',
  ],
  ['in_port=65280,actions=drop', '9: port: expected a number from 0 to 65279, got "65280"'],
  // Brackets and quotes.
  ['ip,actions=ct(commit', '14: ( is never closed'],
  ['actions=output:1)', '17: unexpected ")"'],
  ['in_port="p1,actions=drop', '9: " is never closed'],
];

void t.test('refusals name line, column and reason', async (t) => {
  for (const [text, message] of refusals)
    t.throws(
      () => parseFlow(text, names, { file: 'flows.txt', line: 7 }),
      { name: 'InputError', message: `flows.txt:7:${message}` },
      text,
    );
  t.throws(() => parseFlows('actions=drop\n\n  ip,foo=1,actions=drop', 'flows.txt'), {
    message: 'flows.txt:3:6: unknown field "foo"',
  });
  t.equal(
    printMatch(parseFlow('tun_erspan_ver=2,tun_erspan_dir=1,actions=drop').match),
    'tun_erspan_ver=2,tun_erspan_dir=1',
    'and a field that only the second version of its protocol has is taken',
  );
});

void t.test('names in quotes', (t) => {
  for (const [text, name] of [
    ['x', 'x'],
    ['"x"', 'x'],
    ['q"x"', 'q"x"'],
    ['"x"q', '"x"q'],
    [String.raw`"q\"x"`, 'q"x'],
    [String.raw`"a\qb"`, String.raw`a\qb`],
  ] as const)
    t.equal(unquote(text), name, text);
  t.end();
});

void t.test('which flows a command is about', async (t) => {
  t.strictSame(parseFlowRequest(''), { match: [], cookie: { value: 0n, mask: 0n } });
  const { match, ...rest } = parseFlowRequest(
    'cookie=0x1234/0xff, table=3,ip,out_port=p1 out_group=7,priority=9',
    names,
  );
  t.equal(printMatch(match), 'ip');
  t.strictSame(rest, {
    cookie: { value: 0x34n, mask: 0xffn },
    table: 3,
    priority: 9,
    outPort: 3,
    outGroup: 7,
  });
  t.equal(parseFlowRequest('cookie=5').cookie.mask, (1n << 64n) - 1n);
  t.throws(() => parseFlowRequest('idle_timeout=5'), {
    name: 'InputError',
    message: 'flows:1:14: idle_timeout says nothing about which flows are meant',
  });
});

/** Either flows, or an InputError with a place. */
function readOrRefuse(text: string): void {
  try {
    parseFlow(text, names);
  } catch (error) {
    ok(error instanceof InputError, `${String(error)} at ${JSON.stringify(text.slice(0, 200))}`);
    ok(
      error.place?.line === 1 &&
        (error.place.column ?? 0) >= 1 &&
        (error.place.column ?? 0) <= text.length + 1,
      `${error.message} stands outside the text`,
    );
  }
}

void t.test('hostile text is refused, and soon', async (t) => {
  const mega = 1 << 16;
  const long: readonly string[] = [
    'x'.repeat(mega),
    '('.repeat(mega),
    ')'.repeat(mega),
    '"'.repeat(mega),
    ','.repeat(mega),
    '\0'.repeat(mega),
    ' '.repeat(mega),
    `actions=${'('.repeat(mega)}`,
    `ip,actions=${'ct(commit,exec('.repeat(mega / 16)}${'))'.repeat(mega / 16)}`,
    `ip,actions=${'ct('.repeat(mega / 4)}${')'.repeat(mega / 4)}`,
    `reg0=${'9'.repeat(mega)},actions=drop`,
    `reg0=0x${'f'.repeat(mega)},actions=drop`,
    `ct_state=${'+'.repeat(mega)},actions=drop`,
    `ct_state=${'+trk'.repeat(mega / 4)},actions=drop`,
    `ip,nw_src=${'1.'.repeat(mega / 2)},actions=drop`,
    `${'reg0=1,'.repeat(mega / 8)}actions=fly`,
    `actions=output:NXM_NX_REG0[${'1'.repeat(mega)}]`,
    `actions=${'output:1,'.repeat(mega / 16)}fly`,
    `tun_metadata0=0x${'f'.repeat(mega)},actions=drop`,
    `tun_metadata0=1/${'9'.repeat(mega)},actions=drop`,
    `ipv6,ipv6_src=${':'.repeat(mega)},actions=drop`,
    `ipv6,ipv6_src=::1/${'1'.repeat(mega)},actions=drop`,
    `tcp,tcp_flags=${'+syn-'.repeat(mega / 5)},actions=drop`,
    `ct_state=${'new|'.repeat(mega / 4)},actions=drop`,
    `packet_type=(${'1'.repeat(mega)},1),actions=drop`,
    `NXM_NX_REG0[${'0'.repeat(mega)}]=1,actions=drop`,
    `${'xxreg0=1,'.repeat(mega / 9)}actions=fly`,
    `${'dl_vlan=5,dl_vlan_pcp=1,'.repeat(mega / 24)}actions=fly`,
    `${'ip,'.repeat(mega / 3)}actions=fly`,
    `duration=${'1'.repeat(mega)}s,actions=drop`,
    `cookie=0x${'1'.repeat(mega)},actions=drop`,
    `in_port="${'\\\\'.repeat(mega / 2)}",actions=drop`,
    `table="${'a'.repeat(mega)}",actions=drop`,
    `dl_vlan=${'5'.repeat(mega)},actions=drop`,
    `${'x=1,'.repeat(mega / 4)}actions=drop`,
    `in_port="${'a'.repeat(mega)}",actions=drop`,
    `dl_src=${':'.repeat(mega)},actions=drop`,
    `actions=${'x'.repeat(mega)}(`,
    `${' actions'.repeat(mega / 8)}`,
  ];
  for (const text of long)
    t.throws(
      () => parseFlow(text, names),
      { name: 'InputError', message: /^.{1,300}$/s },
      text.slice(0, 30),
    );
  const bytes = fc
    .uint8Array({ maxLength: 80 })
    .map((array) => Buffer.from(array).toString('latin1'));
  const words = fc
    .array(
      fc.constantFrom(
        'ip',
        'tcp',
        ',',
        '=',
        '(',
        ')',
        '"',
        '->',
        '[',
        ']',
        '..',
        ':',
        '/',
        '0',
        '-1',
        '0x',
        'actions=',
        'ct',
        'exec',
        'commit',
        'move',
        'load',
        'set_field',
        'reg0',
        'NXM_NX_REG0',
        'nw_src',
        'tun_metadata0',
        'packet_type',
        'dl_vlan',
        'vlan_tci',
        'tcp_flags',
        'ct_state',
        '+',
        '-',
        'ipv6',
        'ipv6_src',
        '::',
        'cookie',
        'idle_timeout',
        'xxreg1',
        'tcp6',
        'in_port',
        'output',
        'resubmit',
        '\n',
        '__proto__',
        'constructor',
      ),
      { maxLength: 20 },
    )
    .map((parts) => parts.join(''));
  const damaged = fc
    .tuple(
      anyFlow,
      fc.nat(),
      fc.constantFrom('', '(', ')', '"', '/', '\0', '\n', '=', ',', '-', '9'.repeat(40)),
    )
    .map(([flow, at, wedge]) => {
      const text = printFlow(flow);
      return text.slice(0, at % text.length) + wedge + text.slice((at % text.length) + 1);
    });
  fc.assert(
    fc.property(
      fc.oneof(
        bytes,
        bytes.map((text) => `actions=${text}`),
        words,
        words.map((text) => `ip,actions=${text}`),
        damaged,
      ),
      readOrRefuse,
    ),
    { numRuns: 500 },
  );
});

/** What a switch that holds `flows` holds after the lines of a bundle. */
function applyBundle(flows: readonly Flow[], lines: readonly string[]): readonly string[] {
  const held = new Map(flows.map((flow) => [printFlowKey(flow), printFlow(flow)]));
  for (const line of lines) {
    const [, key = ''] = /^flow delete_strict (.*)$/.exec(line) ?? [];
    if (key !== '') ok(held.delete(key), `${key} is deleted and was not there`);
    else
      held.set(
        printFlowKey(parseFlow(line.replace(/^flow add /, ''))),
        line.replace(/^flow add /, ''),
      );
  }
  return [...held.values()].sort();
}

void t.test('a diff leads from any flows to any others', async (t) => {
  const few = fc.uniqueArray(anyFlow, { selector: printFlowKey, maxLength: 8 });
  // Some flows in both, some with other actions.
  const pairs = fc
    .tuple(
      few,
      few,
      fc.array(fc.constantFrom('keep', 'change', 'drop'), { minLength: 8, maxLength: 8 }),
    )
    .map(([current, fresh, fates]) => {
      const kept = current.flatMap((flow, index): Flow[] =>
        fates[index] === 'drop'
          ? []
          : fates[index] === 'keep'
            ? [flow]
            : [{ ...flow, actions: [{ kind: 'output', port: 1 }, ...flow.actions] }],
      );
      const known = new Set(kept.map(printFlowKey));
      return {
        current,
        desired: [...kept, ...fresh.filter((flow) => !known.has(printFlowKey(flow)))],
      };
    });
  fc.assert(
    fc.property(pairs, ({ current, desired }) => {
      const lines = diffFlows(current, desired);
      deepStrictEqual(applyBundle(current, lines), desired.map(printFlow).sort());
      const { missing, unexpected } = compareFlows(desired, current);
      strictEqual(
        lines.filter((line) => line.startsWith('flow add ')).length,
        missing.length,
        'nothing else is touched',
      );
      ok(lines.length <= missing.length + unexpected.length);
      deepStrictEqual(diffFlows(desired, desired.toReversed()), []);
    }),
    { numRuns: 200 },
  );
  const flows = (text: string) => parseFlows(text, 'f');
  t.strictSame(
    diffFlows(flows('ip,actions=1\narp,actions=2'), flows('ip,actions=3\npriority=1,actions=4')),
    [
      'flow delete_strict table=0, priority=32768,arp',
      'flow add table=0, priority=32768,ip actions=output:3',
      'flow add table=0, priority=1 actions=output:4',
    ],
  );
  throws(() => applyBundle([], ['flow delete_strict table=0, priority=1']), /was not there/);
});
