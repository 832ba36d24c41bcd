/**
 * Goal: check holds the model to a real switch with the flows of a dump, in frames, packet-ins,
 * counters and what is remembered, packet by packet, and says where they diverge. Method: one
 * switch as it is, and with a fault on its wire.
 */
import { readFile } from 'node:fs/promises';
import t from 'tap';
import { openImage } from '../../images/images.js';
import { openSim } from '../testbeds/sim/sim.js';
import { type OpenOptions } from '../testbeds/ovs-switches.js';
import { checkPackets, injectionOf, withControllers, type CheckResult } from './check-packets.js';
import { checkedImage, checkReport, checkSchema, inconclusiveImage } from './check-report.js';
import { readFlow } from './packet-stimulus.js';
import { dumpedSwitch } from '../dumps/dumped-switch.js';

const image = await openImage('trixie', (line) => t.comment(line));
const flows = `OFPST_FLOW reply (OF1.5) (xid=0x2):
 cookie=0x0, duration=3.1s, table=0, n_packets=5, n_bytes=70, idle_age=2, priority=40000,ip,in_port=1,nw_ttl=1 actions=dec_ttl(0,3)
 cookie=0x0, duration=3.1s, table=0, n_packets=5, n_bytes=70, idle_age=2, ip,in_port=1 actions=ct(commit,table=9,zone=7)
 cookie=0x0, duration=3.1s, table=9, n_packets=5, n_bytes=70, idle_age=2, ct_state=+new+trk,ip actions=dec_ttl,group:5
 cookie=0x0, duration=3.1s, table=9, n_packets=5, n_bytes=70, idle_age=2, ct_state=+est+trk,ip actions=output:3
`;
const groups =
  'OFPST_GROUP_DESC reply (OF1.5) (xid=0x2):\n ' +
  'group_id=5,type=all,bucket=bucket_id:0,actions=output:2,bucket=bucket_id:1,actions=output:3\n';
const into = dumpedSwitch([
  {
    bridge: 'br0',
    flows: { text: flows, file: 'flows' },
    groups: { text: groups, file: 'groups' },
  },
]);
const plan = withControllers(into.plan);
const stimulus = (text: string) => readFlow(text, into, undefined, { payload: undefined });
const udp =
  'in_port=1,udp,dl_src=0a:00:00:00:00:01,dl_dst=0a:00:00:00:00:02,nw_src=10.0.0.1,' +
  'nw_dst=10.0.0.2,tp_src=4000,tp_dst=7';

async function check(options: OpenOptions, ...texts: readonly string[]): Promise<CheckResult> {
  const sim = await openSim({ nodes: [plan] }, image, options);
  try {
    return await checkPackets(
      plan,
      sim,
      texts.map((text) => injectionOf(plan, stimulus(text))),
    );
  } finally {
    await sim.close();
  }
}

void t.test('model and switch agree, and all was compared', async (t) => {
  const result = await check(
    {},
    `${udp},nw_ttl=64`,
    `${udp},nw_ttl=1`.replace('tp_src=4000', 'tp_src=4001'),
  );
  t.strictSame(result.findings, []);
  const image = checkedImage('trixie', '3.5.0', 2, result);
  t.match(image, { verdict: 'conforms', differences: [] });
  t.strictSame(image.compared, {
    frames: 2,
    silence: 2 + 4,
    'packet-ins': 2,
    counters: 4,
    connections: 1 + 1,
    macs: 1,
    program: 0,
  });
});

void t.test(
  'what a connection is translated to is taken from the switch where it alone can choose',
  async (t) => {
    const ranges = dumpedSwitch([
      {
        bridge: 'br0',
        flows: {
          file: 'flows',
          text:
            ' table=0, ip,in_port=1 ' +
            'actions=ct(commit,table=1,zone=7,nat(src=10.9.0.0-10.9.0.255:5000-5999))\n ' +
            'table=0, ip,in_port=2 ' +
            'actions=ct(commit,table=1,zone=7,nat(dst=10.9.0.1-10.9.0.2,random))\n table=1, ' +
            'ip actions=output:3\n',
        },
      },
    ]);
    const sim = await openSim({ nodes: [ranges.plan] }, image);
    t.teardown(() => sim.close());
    const texts = [1, 2].flatMap((port) =>
      [7, 8].map((destination) =>
        `${udp},nw_ttl=64`
          .replace('in_port=1', `in_port=${port}`)
          .replace('tp_dst=7', `tp_dst=${destination}`),
      ),
    );
    const result = await checkPackets(
      ranges.plan,
      sim,
      texts.map((text) =>
        injectionOf(ranges.plan, readFlow(text, ranges, undefined, { payload: undefined })),
      ),
    );
    t.same(result.findings, []);
    t.match(result.counts, { frames: { made: 4 }, connections: { made: 3 }, macs: { made: 1 } });
  },
);

void t.test('a fault on the wire is reported with its packet', async (t) => {
  const lost = await check({ wire: () => ({ outputs: [] }) }, `${udp},nw_ttl=64`);
  t.match(lost.findings, [
    { aspect: 'frames', step: 0, summary: /^a frame is missing out of 2 / },
    { aspect: 'frames', step: 0, summary: /^a frame is missing out of 3 / },
  ]);
  t.equal(lost.findings.length, 2, 'no other aspect');
  const changed = await check(
    {
      wire: ({ outputs, ...step }) => ({
        ...step,
        outputs: outputs.map((output) => ({ ...output, frame: output.frame.with(22, 64) })),
      }),
    },
    `${udp},nw_ttl=1`,
    `${udp},nw_ttl=64`.replace('tp_src=4000', 'tp_src=4001'),
  );
  t.match(changed.findings, [
    { step: 1, summary: /^a frame out of 2 on .* differs in ip\.ttl, ip\.checksum$/ },
    { step: 1, summary: /^a frame out of 3 / },
  ]);
  const report = {
    images: [
      checkedImage('trixie', '3.5.0', 2, changed),
      inconclusiveImage('sid', { message: 'no', evidence: ['a'], remedies: ['b'] }),
    ],
  };
  t.match(report.images[0]?.differences[0], {
    aspect: 'frames',
    summary: /^packet 2: a frame out of 2 on .* differs in ip\.ttl, ip\.checksum$/,
  });
  t.doesNotThrow(() => checkReport.parse(JSON.parse(JSON.stringify(report))));
  t.equal(
    await readFile(new URL('../../../docs/check.schema.json', import.meta.url), 'utf8'),
    checkSchema(),
    'if the schema was meant to change: npm run schema',
  );
});

void t.test('what no real port can be given', (t) => {
  t.throws(() => injectionOf(plan, stimulus('in_port=1,ip,reg0=3,metadata=5')), {
    name: 'InputError',
    message: /a real port cannot be given packets with reg0=0x3,metadata=0x5/,
  });
  t.throws(() => injectionOf(plan, stimulus('ip')), {
    name: 'InputError',
    message: /A real switch needs in_port/,
  });
  t.throws(() => injectionOf(plan, stimulus('in_port=7,ip')), {
    name: 'InputError',
    message: /bridge br0 has no port 7/,
  });
  t.end();
});
