// Goal: what the kernel's tracker translates to, says of it, and cuts off, where that of
// ovs-vswitchd differs. Method: packets through a switch's tables, as each datapath has them; what
// the kernel does is that of Linux 6.1, as harness/fuzz/frozen has it.
import t from 'tap';
import { encodeEthernet, etherTypes } from '../../packet/protocols/link/ethernet.js';
import { encodeIcmp, icmpTypes } from '../../packet/protocols/ip/icmp.js';
import { encodeIpv4, ipProtocols } from '../../packet/protocols/ip/ipv4.js';
import { encodeUdp } from '../../packet/protocols/transport/udp.js';
import { openModel } from './model-testbed.js';

const daemon = { 'ovs-vswitchd': '3.5.0' };
const kernel = { ...daemon, linux: '6.1.0' };

const addresses = { src: '10.0.0.1', dst: '10.0.0.2' };
const macs = { dst: '02:00:00:00:00:02', src: '02:00:00:00:00:01' };

function frameOf(protocol: number, payload: Uint8Array, ends = addresses): Uint8Array {
  return encodeEthernet(
    { ...macs, etherType: etherTypes.ipv4 },
    encodeIpv4({ ...ends, ttl: 64, protocol }, payload),
  );
}

const datagram = (srcPort: number, ends = addresses) =>
  frameOf(ipProtocols.udp, encodeUdp({ srcPort, dstPort: 7 }, new Uint8Array(4), ends), ends);

const echo = (identifier: number) =>
  frameOf(
    ipProtocols.icmp,
    encodeIcmp(
      { type: icmpTypes.echoRequest, code: 0, identifier, sequence: 1 },
      new Uint8Array(0),
    ),
  );

function open(flows: readonly string[], versions: Readonly<Record<string, string>>) {
  return openModel(
    {
      nodes: [
        {
          node: 'n1',
          bridges: [
            {
              name: 'br0',
              mac: '02:00:00:00:00:fe',
              ports: [1, 2, 3].map((ofport) => ({ kind: 'endpoint', name: `p${ofport}`, ofport })),
              flows,
            },
          ],
          hosts: [],
        },
      ],
    },
    versions,
  );
}

/** Ports and bytes of what comes out, and what each flow has counted, bytes and all. */
async function played(
  flows: readonly string[],
  versions: Readonly<Record<string, string>>,
  frames: readonly Uint8Array[],
) {
  const model = open(flows, versions);
  const steps = [];
  for (const frame of frames)
    steps.push(
      ...(await model.call([{ kind: 'receive', node: 'n1', port: 'p1', frames: [frame] }])),
    );
  const outputs = steps.flatMap((step) => step.outputs);
  const bytes = (await model.counts()).map((count) => count.bytes);
  const replies = (await model.state()).connections.map(({ reply }) => reply);
  return {
    ports: outputs.map(({ port }) => port),
    frames: outputs.map(({ frame }) => frame),
    bytes,
    replies,
  };
}

void t.test('what is behind the end of IP', async (t) => {
  const flows = ['table=0,ip,actions=ct(table=1,zone=1)', 'table=1,ip,actions=output:2'];
  const short = datagram(4000);
  const padded = new Uint8Array(60);
  padded.set(short);
  const inKernel = await played(flows, kernel, [padded]);
  t.strictSame([inKernel.frames.map(({ length }) => length), inKernel.bytes], [[46], [60, 46]]);
  const inDaemon = await played(flows, daemon, [padded]);
  t.strictSame([inDaemon.frames.map(({ length }) => length), inDaemon.bytes], [[60], [60, 60]]);
  const going = ['table=0,ip,actions=ct(commit,zone=1),output:2'];
  const [went] = (await played(going, kernel, [padded])).frames;
  t.equal(went?.length, 46, 'where it continues in the same flow');
});

void t.test('bits of what is sent elsewhere', async (t) => {
  const flows = [
    'table=0,ip,actions=ct(commit,table=1,zone=1,nat(dst=10.0.0.9))',
    'table=1,ip,ct_state=+snat+dnat,actions=output:2',
    'table=1,ip,ct_state=-snat+dnat,actions=output:3',
  ];
  t.strictSame((await played(flows, kernel, [datagram(4000)])).ports, ['p2']);
  t.strictSame((await played(flows, daemon, [datagram(4000)])).ports, ['p3']);
});

void t.test('until there is an answer a flow says what is translated', async (t) => {
  const flows = [
    'table=0,ip,actions=ct(table=1,zone=1,nat)',
    'table=1,ip,ct_state=+snat,actions=output:3',
    'table=1,ip,ct_state=-snat,actions=ct(commit,table=2,zone=1,nat(src=10.0.0.9))',
    'table=2,ip,actions=output:2',
  ];
  const twice = [datagram(4000), datagram(4000)];
  const inKernel = await played(flows, kernel, twice);
  t.strictSame(inKernel.ports, ['p2', 'p2'], 'nobody has answered');
  t.strictSame(
    inKernel.frames.map((frame) => frame[29]),
    [9, 9],
  );
  t.strictSame((await played(flows, daemon, twice)).ports, ['p2', 'p3']);
});

void t.test('ports and identifiers', async (t) => {
  const to = (range: string) => [`table=0,ip,actions=ct(commit,zone=1,nat(${range})),output:2`];
  const replies = async (range: string, versions: typeof daemon, frames: readonly Uint8Array[]) =>
    (await played(to(range), versions, frames)).replies;
  const one = 'src=10.0.0.9:5000';
  t.strictSame(await replies(one, kernel, [echo(77)]), [
    'src=10.0.0.2,dst=10.0.0.9,id=5000,type=0,code=0',
  ]);
  t.strictSame(await replies(one, daemon, [echo(77)]), [
    'src=10.0.0.2,dst=10.0.0.9,id=77,type=0,code=0',
  ]);
  t.strictSame(
    await replies('src=10.0.0.9:70-80', kernel, [echo(77)]),
    ['src=10.0.0.2,dst=10.0.0.9,id=77,type=0,code=0'],
    'one that is asked for already is kept',
  );
  await t.rejects(
    replies('dst=10.0.0.9:70-80', kernel, [echo(7)]),
    { message: /in the kernel draws/ },
    'of a destination as well',
  );
  t.strictSame(
    await replies('src=10.0.0.9:4000-5000', kernel, [datagram(4000)]),
    ['src=10.0.0.2,dst=10.0.0.9,sport=7,dport=4000'],
    'a port that is asked for already is kept',
  );
  await t.rejects(
    replies('src=10.0.0.9:4000-5000', kernel, [datagram(3000)]),
    { message: /in the kernel draws/ },
    'another is drawn',
  );
  await t.rejects(
    replies(one, kernel, [datagram(4000), datagram(4001)]),
    { message: /nothing is left to translate to/ },
    'a port that is taken',
  );
  t.strictSame(
    await replies('src=10.0.0.9:5000-5001', kernel, [
      datagram(5000),
      datagram(5000, { ...addresses, dst: '10.0.0.3' }),
    ]),
    [
      'src=10.0.0.2,dst=10.0.0.9,sport=7,dport=5000',
      'src=10.0.0.3,dst=10.0.0.9,sport=7,dport=5000',
    ],
  );
});
