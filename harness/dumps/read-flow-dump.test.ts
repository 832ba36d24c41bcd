/**
 * Goal: a dump is read as it stands in a report, with a note of what was undone, and nothing of it
 * is lost: what is missing, or can be read in two ways, is an error with its line. Method: three
 * flows, and what terminals, e-mails, logs and other versions make of them.
 */
import t from 'tap';
import { complaint } from '../base/errors/errors.js';
import { printFlow } from '../openflow/flows/flow.js';
import { noNames } from '../openflow/syntax/form.js';
import { AssignedPorts } from './assigned-ports.js';
import { readFlowDump } from './read-flow-dump.js';

const dump = [
  'OFPST_FLOW reply (OF1.5) (xid=0x2):',
  ' cookie=0x0, duration=3.2s, table=0, n_packets=0, n_bytes=0, ' +
    'priority=5,ip,nw_src=10.0.0.1 actions=output:1,output:2',
  ' cookie=0x7, duration=3.2s, table=0, n_packets=10, n_bytes=100, in_port=1 actions=goto_table:9',
  ' cookie=0x0, duration=3.2s, table=9, n_packets=0, n_bytes=0, actions=drop',
];
const wanted = [
  'table=0, priority=5,ip,nw_src=10.0.0.1 actions=output:1,output:2',
  'cookie=0x7, table=0, priority=32768,in_port=1 actions=goto_table:9',
  'table=9, priority=32768 actions=drop',
];

const read = (text: string, names = noNames) => readFlowDump({ text, file: 'flows' }, names);
const printed = (text: string) => read(text).flows.map(({ flow }) => printFlow(flow));

/** At its last column, as a terminal does. */
const wrappedAt = (width: number) =>
  dump.flatMap((line) => line.match(new RegExp(`.{1,${width}}`, 'g')) ?? []);
const everyLine = (change: (line: string, index: number) => string) => dump.map(change).join('\n');

void t.test('what was done to a dump is undone, and named', (t) => {
  const cases: readonly (readonly [what: string, text: string, note: RegExp | undefined])[] = [
    ['nothing', dump.join('\n'), undefined],
    ['quoted', everyLine((line) => `> > ${line}`), /quotation marks/],
    ['bullets', everyLine((line, index) => (index === 0 ? line : `- ${line}`)), /bullets/],
    ['numbers', everyLine((line, index) => (index === 0 ? line : `${index}. ${line}`)), /numbers/],
    ['CRLF', everyLine((line) => `${line}\r`), /Windows/],
    ['colours', everyLine((line) => `\u001b[32m${line}\u001b[0m`), /codes of a terminal/],
    ['padding', everyLine((line) => line.replaceAll(' ', '\u00a0')), /spaces/],
    ['fences', ['~~~ text', ...dump, '```'].join('\n'), /fences/],
    ['bold', everyLine((line) => line.replace('ip,', '**ip**,')), /emphasis/],
    ['a prompt', ['root@n1:~# ovs-ofctl dump-flows br0', ...dump].join('\n'), /command lines/],
    [
      'a log',
      everyLine((line) => `2026-11-25T10:00:00.123Z|00042|ofctl|INFO|${line}`),
      /beginning is left out/,
    ],
    ['wrapped by a terminal', wrappedAt(64).join('\n'), /broken lines joined/],
    [
      'wrapped by an e-mail',
      everyLine((line) =>
        line.replace(', n_bytes', ',\nn_bytes').replace(' actions', '\n actions'),
      ),
      /broken lines joined/,
    ],
    ['a prompt behind it', [...dump, 'root@host:~$ '].join('\n'), /command lines left out/],
    ['another command', [...dump, '[root@host ~]# uptime'].join('\n'), /command lines left out/],
    ['entities by number', everyLine((line) => line.replaceAll('=', '&#61;')), /HTML entities/],
    ['a table', everyLine((line) => `| ${line} |`), /borders of a table/],
    ['backslashes', everyLine((line) => line.replace(', n_bytes', ', \\\n  n_bytes')), /backslash/],
    [
      'flows of Open vSwitch itself',
      [
        'table_id=254, duration=3s, n_packets=0, n_bytes=0, priority=0,actions=drop',
        ...dump
          .slice(1)
          .map((line) => line.replace(/ cookie=0x\w+, /, '').replace('.2s, table=0', 's')),
      ].join('\n'),
      /table 254/,
    ],
  ];
  for (const [what, text, note] of cases.slice(0, -1)) {
    const { flows, notes } = read(text);
    t.strictSame(
      flows.map(({ flow }) => printFlow(flow)),
      wanted,
      what,
    );
    if (note === undefined) t.strictSame(notes, [], what);
    else t.match(notes.join('\n'), note, what);
  }
  t.end();
});

void t.test('what bridge/dump-flows prints', (t) => {
  const { flows, notes } = read(
    [
      'duration=3s, n_packets=1, n_offload_packets=1, n_bytes=2, priority=5,ip,actions=output:1',
      'table_id=254, duration=3s, n_packets=0, n_bytes=0, priority=2,recirc_id=0,actions=drop',
    ].join('\n'),
  );
  t.strictSame(
    flows.map(({ flow }) => printFlow(flow)),
    ['table=0, priority=5,ip actions=output:1'],
  );
  t.match(notes.join('\n'), /1 flows of table 254/);
  t.end();
});

void t.test('a colon stands for an equals sign', (t) => {
  t.strictSame(printed('table:9 cookie:0x1 priority:5 tcp,tcp_dst:80 actions=drop'), [
    'cookie=0x1, table=9, priority=5,tcp,tp_dst=80 actions=drop',
  ]);
  t.end();
});

void t.test('what stands before a cookie is a part of the flow, unless a dump follows', (t) => {
  t.strictSame(printed('tcp cookie=0x1 actions=drop'), [
    'cookie=0x1, table=0, priority=32768,tcp actions=drop',
  ]);
  t.end();
});

void t.test('tables and ports that only have names', (t) => {
  const text = [
    ' cookie=0x0, duration=1s, table=Classifier, n_packets=0, n_bytes=0, ' +
      'in_port="p 1" actions=goto_table:Output',
    ' cookie=0x0, duration=1s, table=9, n_packets=0, n_bytes=0, in_port=2 actions=output:p2',
    ' cookie=0x0, duration=1s, table=Output, n_packets=0, n_bytes=0, actions=resubmit(,Last)',
    ' cookie=0x0, duration=1s, table=Output, n_packets=0, n_bytes=0, ip actions=resubmit(,10)',
  ].join('\n');
  const { flows, notes } = readFlowDump(
    { text, file: 'flows' },
    { ...noNames, ports: new AssignedPorts([2]) },
  );
  t.strictSame(
    flows.map(({ flow }) => printFlow(flow)),
    [
      'table=0, priority=32768,in_port=1 actions=goto_table:11',
      'table=9, priority=32768,in_port=2 actions=output:3',
      'table=11, priority=32768 actions=resubmit(,12)',
      'table=11, priority=32768,ip actions=resubmit(,10)',
    ],
    'numbers keep the order of the dump, and none is one that the dump has',
  );
  t.match(notes.join('\n'), /Classifier is 0, Output is 11, Last is 12/);
  t.strictSame(
    printed('ip actions=goto_table:A\ntable=A actions=drop'),
    ['table=0, priority=32768,ip actions=goto_table:1', 'table=1, priority=32768 actions=drop'],
    'a flow that names no table is of table 0',
  );
  t.end();
});

void t.test('names of ports that only a wrong reading has get no numbers', (t) => {
  const ports = new AssignedPorts([]);
  const broken = (output: string) => ({
    text: dump[1]?.replace('output:1,output:2', output) ?? '',
    file: 'flows',
  });
  const { flows } = readFlowDump(broken('output:lo\nng,output:b'), { ...noNames, ports });
  t.equal(
    flows.map(({ flow }) => printFlow(flow)).join(),
    'table=0, priority=5,ip,nw_src=10.0.0.1 actions=output:1,output:2',
  );
  t.strictSame([...ports.keys()], ['long', 'b']);
  t.match(
    complaint(() =>
      readFlowDump(broken('output:"lo\nng",output:b'), {
        ...noNames,
        ports: new AssignedPorts([]),
      }),
    ),
    /can be read in two ways, .* \(ports lo ng, b, or ports long, b\)/,
  );
  t.end();
});

void t.test('a flow that somebody wrote stands beside those of a dump', (t) => {
  const own = 'table=9,priority=7,arp actions=output:9';
  const printedOwn = 'table=9, priority=7,arp actions=output:9';
  t.strictSame(printed([own, ...dump].join('\n')), [printedOwn, ...wanted]);
  t.strictSame(printed([...dump, own].join('\n')), [...wanted, printedOwn]);
  t.end();
});

void t.test('a dump in OpenFlow 1.0 says so', (t) => {
  t.match(read('NXST_FLOW reply (xid=0x4):\n cookie=0x0, duration=1s, actions=drop').notes, [
    /OpenFlow 1\.0/,
  ]);
  t.end();
});

void t.test('flows that OpenFlow 1.0 has added', (t) => {
  const text = (actions: string) =>
    ` cookie=0x0, duration=1s, table=0, in_port=1 actions=${actions}`;
  for (const actions of [
    'dec_ttl,output:2',
    'strip_vlan,output:2',
    'mod_tp_dst:80,output:2',
    'set_field:8->ip_dscp,set_field:1.2.3.4->ip_src,output:2',
    'pop_mpls:0x0800,output:2',
  ])
    t.equal(read(text(actions)).flows[0]?.onlyBy, 'OpenFlow10', actions);
  t.equal(read(text('output:2')).flows[0]?.onlyBy, undefined);
  t.match(
    complaint(() => read(text('set_field:80->tcp_dst'))),
    /tcp_dst needs a match on tcp beside it/,
    'what Open vSwitch refuses stays refused',
  );
  t.end();
});

void t.test('what cannot be undone is an error with its line', (t) => {
  for (const [what, text, wantedError] of [
    ['a part is missing', [...dump, '...'].join('\n'), /^flows:5: a part of the dump is missing/],
    ['a part is missing in a line', `${dump[1] ?? ''}...`, /^flows:1: a part of the dump/],
    [
      'two ways',
      [...dump.slice(0, 2), '0'].join('\n'),
      /^flows:2: this flow is broken into 2 lines and can be read in two ways/,
    ],
    [
      'a broken line',
      'in_port=1,ip\n  actions=output:2',
      /^flows:1:1: .*this one is broken, or none/,
    ],
    ['the line that is wrong', dump.join('\n').replace('goto_table:9', 'goto:9'), /^flows:3:/],
    [
      'wrong, and broken',
      dump.join('\n').replace('goto_table', 'goto').replace(' actions=goto', '\nactions=goto'),
      /^flows:4:9: unknown action/,
    ],
    ['words behind the dump', [...dump, '', 'Thanks, Bob'].join('\n'), /^flows:6:/],
    [
      'a part is missing inside',
      dump.join('\n').replace('ip,', '... ,'),
      /^flows:\d: a part of the dump is missing/,
    ],
    [
      'a word that would become the name of a port',
      [...dump.slice(0, 2), 'Regards'].join('\n'),
      /^flows:3: this flow is broken into 2 lines, or what stands behind it is no part of it/,
    ],
    [
      'a megaflow',
      'in_port(1),eth(src=00:00:00:00:00:01),eth_type(0x0800), packets:1, bytes:2, actions:2',
      /^flows:1: this is a megaflow of a datapath/,
    ],
  ] as const)
    t.match(
      complaint(() => read(text, { ...noNames, ports: new AssignedPorts([]) })),
      wantedError,
      what,
    );
  t.end();
});
