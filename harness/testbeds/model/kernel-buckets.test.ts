// Goal: the bucket that a kernel's own hash selects is the one whose flows the switch has counted,
// or that sends what has come out, or commits what is tracked; all packets that the kernel hashes
// alike go there; without anybody to ask it is refused. Method: a group with two buckets, and
// counts, frames and connections as a switch would have them.
import t from 'tap';
import type { FlowCount, SwitchStep } from '../../domain/switching.js';
import { encodeIpv4, ipProtocols } from '../../packet/protocols/ip/ipv4.js';
import { encodeEthernet, etherTypes } from '../../packet/protocols/link/ethernet.js';
import { encodeUdp } from '../../packet/protocols/transport/udp.js';
import { openModel } from './model-testbed.js';

const kernel = { 'ovs-vswitchd': '3.5.0', linux: '6.1.0' };

function open(
  versions: Readonly<Record<string, string>>,
  buckets: readonly [string, string] = [
    'load:1->NXM_NX_REG0[],resubmit(,1)',
    'load:2->NXM_NX_REG0[],resubmit(,1)',
  ],
) {
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
              flows: [
                'table=0,ip,actions=group:1',
                'table=1,reg0=1,actions=output:2',
                'table=1,reg0=2,actions=output:3',
              ],
              groups: [
                `group_id=1,type=select,bucket=bucket_id:0,actions=${buckets[0]},` +
                  `bucket=bucket_id:1,actions=${buckets[1]}`,
              ],
            },
          ],
          hosts: [],
        },
      ],
    },
    versions,
  );
}

const addresses = { src: '10.0.0.1', dst: '10.0.0.2' };
function frameFrom(srcPort: number): Uint8Array {
  const datagram = encodeUdp({ srcPort, dstPort: 7 }, new Uint8Array(20), addresses);
  return encodeEthernet(
    { dst: '02:00:00:00:00:02', src: '02:00:00:00:00:01', etherType: etherTypes.ipv4 },
    encodeIpv4({ ...addresses, protocol: ipProtocols.udp, ttl: 64 }, datagram),
  );
}
const frame = frameFrom(4000);
const call = { kind: 'receive', node: 'n1', port: 'p1', frames: [frame] } as const;

/** What a switch has counted that sent all packets of the table to port `2 + bucket`. */
const counting = (bucket: number, packets: number) => (candidates: readonly FlowCount[]) =>
  Promise.resolve(
    candidates.map(({ flow }) =>
      flow.table === 0 || flow.match === `reg0=0x${bucket + 1}` ? packets : 0,
    ),
  );

void t.test('which bucket, by what was counted', async (t) => {
  for (const bucket of [0, 1]) {
    const model = open(kernel);
    for (const packets of [1, 2]) {
      const oracle = {
        flowCounts: counting(bucket, packets),
        connections: () => Promise.resolve([]),
      };
      const [step] = await model.call([call], oracle);
      t.same(
        step?.outputs.map(({ port }) => port),
        [`p${2 + bucket}`],
        `${packets} packets`,
      );
    }
  }
});

void t.test('which bucket, where no flow counts it, by what came out', async (t) => {
  const came = (port: string) => ({
    flowCounts: (candidates: readonly FlowCount[]) =>
      Promise.resolve(candidates.map(({ flow }) => (flow.table === 0 ? 1 : 0))),
    connections: () => Promise.resolve([]),
    outputs: () => [{ port, frame }],
  });
  for (const [port, expected] of [
    ['p2', 'p2'],
    ['p3', 'p3'],
    ['p1', 'p2'], // no bucket does that: it will diverge
  ] as const) {
    const [step] = await open(kernel, ['output:2', 'output:3']).call([call], came(port));
    t.same(
      step?.outputs.map((output) => output.port),
      [expected],
      `out of ${port}`,
    );
  }
  const none = { ...came(''), outputs: () => [] };
  const [step] = await open(kernel, ['output:2', 'drop']).call([call], none);
  t.same(step?.outputs, [], 'a bucket that drops');
});

void t.test('ports of UDP make another hash', async (t) => {
  const model = open(kernel, ['output:2', 'output:3']);
  let packets = 0;
  for (const [srcPort, port] of [
    [4000, 'p2'],
    [4001, 'p3'],
    [4000, 'p2'],
  ] as const) {
    packets++;
    const sent = frameFrom(srcPort);
    const [step] = await model.call([{ ...call, frames: [sent] }], {
      flowCounts: (candidates) =>
        Promise.resolve(candidates.map(({ flow }) => (flow.table === 0 ? packets : 0))),
      connections: () => Promise.resolve([]),
      outputs: () => [{ port, frame: sent }],
    });
    t.same(step?.outputs, [{ port, frame: sent }], `from port ${srcPort}`);
  }
});

void t.test('a group that changes makes other choices', async (t) => {
  const model = open(kernel, ['drop', 'drop']);
  const counted = (packets: number, outputs: SwitchStep['outputs']) => ({
    flowCounts: (candidates: readonly FlowCount[]) =>
      Promise.resolve(candidates.map(({ flow }) => (flow.table === 0 ? packets : 0))),
    connections: () => Promise.resolve([]),
    outputs: () => outputs,
  });
  await model.call([call], counted(1, [])); // either bucket drops it
  const lines = [
    'group modify group_id=1,type=select,bucket=bucket_id:0,output:2,bucket=bucket_id:1,output:3',
  ];
  await model.call([{ kind: 'change', node: 'n1', bridge: 'br0', lines }]);
  const outputs = [{ port: 'p3', frame }];
  const [step] = await model.call([call], counted(2, outputs));
  t.same(step?.outputs, outputs);
});

void t.test('which bucket, where nothing comes out, by what is tracked', async (t) => {
  const buckets = ['ct(commit,zone=1)', 'ct(commit,zone=2)'] as const;
  for (const zone of [1, 2]) {
    const model = open(kernel, buckets);
    const tracked = {
      node: 'n1',
      zone,
      protocol: 'udp',
      original: 'src=10.0.0.1,dst=10.0.0.2,sport=4000,dport=7',
      reply: 'src=10.0.0.2,dst=10.0.0.1,sport=7,dport=4000',
      mark: 0,
      progress: '',
      timeoutS: 30,
    };
    await model.call([call], {
      flowCounts: (candidates) =>
        Promise.resolve(candidates.map(({ flow }) => (flow.table === 0 ? 1 : 0))),
      connections: () => Promise.resolve([tracked]),
      outputs: () => [],
    });
    const { connections } = await model.state();
    t.same(
      connections.map((connection) => connection.zone),
      [zone],
    );
  }
});

void t.test('nobody to ask', async (t) => {
  await t.rejects(open(kernel).call([call]), { message: /which bucket of group 1 is chosen/ });
  const [step] = await open({ 'ovs-vswitchd': '3.5.0' }).call([call]);
  t.equal(step?.outputs.length, 1, 'in ovs-vswitchd the hash is known');
});
