/**
 * Goal: trace reads every file and option that its help names, whatever form they come in, and a
 * wrong request is answered with what would be right, exit code 2, and nothing on stdout. Method:
 * command lines on the dumps of docs/examples, in this process.
 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { createTeardown } from '../../base/concurrency/teardown.js';
import { traceReport } from '../../trace/trace-report.js';
import { runCommandLine } from '../commands.js';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const examples = fileURLToPath(new URL('../../../../docs/examples', import.meta.url));
const antrea = ['--bridge', `br-int=${examples}/antrea`];
const dir = await mkdtemp(join(tmpdir(), 'flowbed-trace-'));
const before = process.cwd();
process.chdir(dir);
t.teardown(async () => {
  process.chdir(before);
  await rm(dir, { recursive: true });
});
const hex = '0a000a0a01010a000a0a010288b5';

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function flowbed(...args: readonly string[]): Promise<Ended> {
  let [stdout, stderr] = ['', ''];
  const complain = (line: string) => void (stderr += `${line}\n`);
  const code = await runCommandLine(
    {
      print: (text) => void (stdout += `${text}\n`),
      say: complain,
      complain,
      mute: () => undefined,
      teardown: createTeardown(),
      root,
    },
    args,
  );
  return { code, stdout, stderr };
}

interface Expected {
  readonly what: string;
  readonly ended: Ended;
  readonly wanted: object;
}

/** Each command with what it should lead to, one after the other. */
async function runAll(
  commands: readonly (readonly [args: readonly string[], wanted: object])[],
): Promise<readonly Expected[]> {
  const found: Expected[] = [];
  for (const [args, wanted] of commands)
    found.push({ what: args.slice(-3).join(' '), ended: await flowbed(...args), wanted });
  return found;
}

/** A packet into p1 of the antrea bridge, in pcap with big-endian numbers. */
const capture = Buffer.from(
  `a1b2c3d4000200040000000000000000000400000000000100000000000000000000000e0000000e${hex}`,
  'hex',
);

void t.test('files and options', async (t) => {
  await mkdir(join(dir, 'both'));
  await writeFile(join(dir, 'both/flows'), 'in_port=1 actions=group:1\n');
  await writeFile(
    join(dir, 'both/groups.txt'),
    'group_id=1,type=all,bucket=output:2,bucket=output:3\n',
  );
  await writeFile(join(dir, 'one.pcap'), capture);
  await writeFile(
    join(dir, 'flows'),
    'in_port=1,reg0=5 actions=output:2\npriority=0 actions=output:3\n',
  );
  for (const { what, ended, wanted } of await runAll([
    [
      ['trace', ...antrea, '--pcap', 'one.pcap', 'in_port=p1-f64551'],
      { code: 0, stdout: /^Flow: in_port=3,.*dl_type=0x88b5/ },
    ],
    [
      ['trace', ...antrea, '--pcap', 'one.pcap', '--in-port', 'p1-f64551', '--json'],
      { code: 0, stdout: /^\{\n {2}"packets": \[/ },
    ],
    [
      ['trace', ...antrea, '--packet', hex, '--in-port', '3'],
      { code: 0, stdout: /^Flow: in_port=3,.*dl_type=0x88b5/ },
    ],
    [
      ['trace', '--bridge', 'br9=both', 'in_port=1'],
      { code: 0, stdout: /bucket 0 of group 1[^]*Out of 2 of br9[^]*Out of 3 of br9/ },
    ],
    [
      ['trace', '--flows', 'flows', '--packet', hex, 'in_port=1,reg0=5'],
      { code: 0, stdout: /Out of 2 of br0/ },
    ],
    [
      ['trace', '--flows', 'flows', '--bridge', 'br7', 'in_port=1'],
      { code: 0, stdout: /Out of 3 of br7/ },
    ],
    [
      ['trace', '--flows', 'flows', 'br0', 'in_port=1,udp', '--l7', '0a0b', '--json'],
      { code: 0, stdout: /0a0b",/ },
    ],
    [
      [
        'trace',
        '--flows',
        `${examples}/two-bridges/br-int/flows.txt`,
        '--ovsdb',
        `${examples}/two-bridges/ovsdb.json`,
        '--bridge',
        'br-int',
        'in_port=p1,ip,nw_ttl=9',
      ],
      { code: 0, stdout: /Out of patch-ex of br-int/ },
    ],
    [
      ['trace', ...antrea, 'in_port=3,ip', '--why-not', 'table=10,ip,in_port=2'],
      {
        code: 0,
        stdout:
          /Why not table=10, priority=200,ip,in_port=2 of br-int\?\n {2}in_port: the packet has 3, the flow wants 2\n$/,
      },
    ],
  ]))
    t.match(ended, wanted, what);
});

void t.test('programs get one document, as its schema says', async (t) => {
  const { stdout } = await flowbed(
    'trace',
    ...antrea,
    'in_port=3,udp,dl_src=0a:00:0a:0a:01:02,dl_dst=0a:00:0a:0a:01:03,nw_src=10.10.1.2,' +
      'nw_dst=10.10.1.3,nw_ttl=9,tp_src=5,tp_dst=7',
    '--json',
  );
  t.match(traceReport.parse(JSON.parse(stdout)), {
    outputs: [{ bridge: 'br-int', port: 'p2-3946ca', flow: /^ct_state=new\|trk,.*nw_ttl=9/ }],
    finalFlow: /reg1=0x4/,
    state: {
      connections: [
        { protocol: 'udp', zone: 65520, original: 'src=10.10.1.2,dst=10.10.1.3,sport=5,dport=7' },
      ],
      macs: [],
    },
  });
});

void t.test(
  'a flow that the model does not execute: the way up to it, and exit code 3',
  async (t) => {
    await writeFile(
      join(dir, 'odd'),
      'in_port=1 actions=resubmit(,1),output:2\ntable=1,tcp ' +
        'actions=check_pkt_larger(100)->NXM_NX_PKT_MARK[0]\n',
    );
    const refused = await flowbed('trace', '--flows', 'odd', 'in_port=1,tcp');
    t.match(refused, {
      code: 3,
      stdout: /^ +1\. tcp, priority 32768\n +check_pkt_larger.*\n\n\? .*check_pkt_larger/m,
    });
    t.match(await flowbed('trace', '--flows', 'odd', 'packet_type=(1,0x800)', '--json'), {
      code: 3,
      stdout:
        '{\n  "refused": "the model does not know packets without an Ethernet header ' +
        '(packet_type)",\n  "notes": []\n}\n',
    });
  },
);

void t.test('what is wrong', async (t) => {
  await mkdir(join(dir, 'empty'));
  await mkdir(join(dir, 'twice'));
  await Promise.all(['flows', 'flows.txt'].map((name) => writeFile(join(dir, 'twice', name), '')));
  await writeFile(join(dir, 'bad.flows'), '\nin_port=1 actions=outpt:2\n');
  await writeFile(join(dir, 'cut.pcap'), capture.subarray(0, 50));
  const two = [
    '--bridge',
    `br-int=${examples}/two-bridges/br-int`,
    '--bridge',
    `br-ex=${examples}/two-bridges/br-ex`,
    '--ovsdb',
    `${examples}/two-bridges/ovsdb.json`,
  ];
  const wrong = (message: RegExp) => ({ code: 2, stdout: '', stderr: message });
  for (const { what, ended, wanted } of await runAll([
    [
      ['trace', 'in_port=1'],
      wrong(
        /give the flows of a bridge by --flows FILE, or all that is known of one by --bridge NAME=DIR/,
      ),
    ],
    [['trace', '--groups', 'x', 'in_port=1'], wrong(/--flows is missing: --groups is about/)],
    [['trace', '--flows', 'none', 'in_port=1'], wrong(/none: cannot read it: ENOENT/)],
    [
      ['trace', '--bridge', 'a=empty', 'in_port=1'],
      wrong(
        /there is no file "flows" or "flows\.txt" in empty; files that are read are flows, ports, groups, meters, tlv-map/,
      ),
    ],
    [['trace', '--bridge', 'a=twice', 'in_port=1'], wrong(/twice has both flows and flows\.txt/)],
    [['trace', ...antrea, ...antrea, 'in_port=1'], wrong(/--bridge: br-int is given twice/)],
    [['trace', ...antrea], wrong(/which packet\? Give FLOW, as in/)],
    [['trace', ...antrea, '--packet', hex], wrong(/--packet: where does it come in\?/)],
    [
      ['trace', ...antrea, '--packet', hex, '--in-port', '3', 'reg0=5'],
      wrong(/FLOW and --in-port both say where the packet comes in: write in_port=3 in FLOW/),
    ],
    [['trace', ...antrea, '--packet', hex, '--pcap', 'x', 'in_port=3'], wrong(/give one of them/)],
    [
      ['trace', ...antrea, '--packet', '0a', 'in_port=3'],
      wrong(/at least 14 bytes .* got 1 bytes/),
    ],
    [
      ['trace', ...antrea, '--pcap', 'cut.pcap', 'in_port=3'],
      wrong(/cut\.pcap: byte 24: packet 1 has 14 bytes, but the file ends after 10/),
    ],
    [
      ['trace', ...antrea, '--l7-len', '5', '--packet', hex, 'in_port=3'],
      wrong(/--l7 and --l7-len are about packets made of FLOW/),
    ],
    [
      ['trace', ...antrea, '--l7-len', '64001', 'in_port=3,udp'],
      wrong(/from 0 to 64000, got "64001"/),
    ],
    [
      ['trace', ...antrea, 'a', 'b', 'c'],
      wrong(/expected \[BRIDGE\] FLOW \[PACKET\], got 3 arguments/),
    ],
    [['trace', '--flows', 'bad.flows', 'in_port=1'], wrong(/bad\.flows:2:19: .*outpt/)],
    [['trace', ...two, 'in_port=1'], wrong(/port 1 is there on br-int, br-ex/)],
    [
      [
        'trace',
        '--flows',
        `${examples}/two-bridges/br-int/flows.txt`,
        '--ovsdb',
        `${examples}/two-bridges/ovsdb.json`,
        'in_port=1',
      ],
      wrong(/--bridge is missing: are the flows of --flows those of br-(int|ex) or br-(int|ex)\?/),
    ],
    [
      ['check', ...antrea, '--image', 'trixy', 'in_port=3'],
      wrong(/unknown image "trixy"\. Did you mean "trixie"\?/),
    ],
  ]))
    t.match(ended, wanted, what);
});

void t.test('the help names the files that it reads', async (t) => {
  const { stdout } = await flowbed('trace', '--help');
  for (const option of [
    '--flows',
    '--groups',
    '--meters',
    '--ports',
    '--tlv-map',
    '--bridge',
    '--ovsdb',
    '--in-port',
    '--packet',
    '--pcap',
    '--l7',
    '--l7-len',
    '--why-not',
    '--json',
  ])
    t.match(stdout, `${option} `);
  t.match(await readFile(join(examples, 'antrea/flows.txt'), 'utf8'), /^OFPST_FLOW reply/);
});
