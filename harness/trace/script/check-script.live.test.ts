/**
 * Goal: a script is applied alike by the model and by real switches of all versions, and where they
 * diverge, the step is reported. Method: one script with everything in it, on switches as they are
 * and with a fault on the wire from some frame on. SUITE=trixie for one version.
 */
import t from 'tap';
import { openImage } from '../../../images/images.js';
import type { SwitchStep } from '../../domain/switching.js';
import { openSim } from '../../testbeds/sim/sim.js';
import { checkReport, checkedScript } from '../check-report.js';
import { dumpedSwitch } from '../../dumps/dumped-switch.js';
import { withControllers } from '../check-packets.js';
import { checkInjections, checkScript } from './check-script.js';
import { readScript } from './read-script.js';

const suites = (process.env['SUITE'] ?? 'bookworm,trixie,sid').split(',');
const flows = `table=0,udp actions=ct(commit,table=1,zone=7)
table=0,icmp actions=NORMAL
table=0,tcp actions=group:1
table=1,ct_state=+new actions=output:2,controller(id=3)
table=1,ct_state=+est actions=output:3
`;
const groups = 'group_id=1,type=ff,bucket=watch_port:2,output:2,bucket=watch_port:3,output:3\n';
const shown =
  ' 1(p1): addr:aa:55:aa:55:00:01\n 2(p2): addr:aa:55:aa:55:00:02\n 3(p3): ' +
  'addr:aa:55:aa:55:00:03\n LOCAL(br0): addr:aa:bb:cc:dd:ee:ff\n';
const into = dumpedSwitch([
  {
    bridge: 'br0',
    flows: { text: flows, file: 'flows' },
    groups: { text: groups, file: 'groups' },
    ports: { text: shown, file: 'ports' },
  },
]);
const there =
  'dl_src=0a:00:00:00:00:01,dl_dst=0a:00:00:00:00:02,nw_src=10.0.0.1,nw_dst=10.0.0.2,' +
  'nw_ttl=64,tp_src=4000,tp_dst=7';
const back =
  'dl_src=0a:00:00:00:00:02,dl_dst=0a:00:00:00:00:01,nw_src=10.0.0.2,nw_dst=10.0.0.1,' +
  'nw_ttl=64,tp_src=7,tp_dst=4000';
const script = readScript(
  {
    file: 'script',
    text: `
inject p1 udp,${there}
advance 10s
inject p2 udp,${back}
dump-conntrack
inject p1 tcp,${there}
port-down p2
inject p1 tcp,${there}
inject p2 udp,${back}
inject p3 icmp,dl_src=0a:00:00:00:00:03
dump-fdb
port-up p2
inject p1 tcp,${there}
advance 2m
inject p1 udp,${there}
flush-conntrack zone=7 ct_nw_proto=17,ct_tp_src=4000
inject p1 udp,${there}
dump-flows
add-flow idle_timeout=20,priority=9,udp,in_port=p1,actions=output:3
inject p1 udp,${there}
advance 15s
dump-flows
mod-group group_id=1,type=ff,bucket=watch_port:3,output:3
inject p1 tcp,${there}
mod-flows udp,actions=drop
inject p1 udp,${there}
advance 30s
dump-flows
del-flows table=1
add-flow table=1,actions=output:2
inject p2 udp,${back}
dump-flows
`,
  },
  into,
);
const plan = withControllers(into.plan);
const asIs = { plan, calls: [], realCalls: [] };

for (const suite of suites) {
  void t.test(`model and ${suite} agree`, async (t) => {
    const sim = await openSim({ nodes: [plan] }, await openImage(suite, (line) => t.comment(line)));
    t.teardown(() => sim.close());
    const result = await checkScript(asIs, sim, script);
    t.strictSame(result.divergence, undefined);
    t.match(result.counts, { frames: { made: 11 }, 'packet-ins': { made: 4 } });
    t.match(checkedScript(suite, '', result), { verdict: 'conforms', differences: [] });
  });
}

void t.test('where they diverge', async (t) => {
  let left = 4;
  const wire = (step: SwitchStep) =>
    step.outputs.length > 0 && --left < 0 ? { ...step, outputs: [] } : step;
  const sim = await openSim(
    { nodes: [plan] },
    await openImage(suites[0] ?? '', (line) => t.comment(line)),
    { wire },
  );
  t.teardown(() => sim.close());
  const checked = checkedScript('x', '1', await checkScript(asIs, sim, script));
  t.match(checked, {
    verdict: 'diverges',
    differences: [
      {
        aspect: 'frames',
        summary: /^line 10, inject p3 icmp,dl_src=0a:00:00:00:00:03: a frame is missing out of br0/,
      },
      {},
    ],
  });
  t.doesNotThrow(() => checkReport.parse(JSON.parse(JSON.stringify({ images: [checked] }))));
});

void t.test('what no real port can be given', (t) => {
  const { steps: odd } = readScript(
    { file: 'script', text: 'advance 1s\ninject p1 ip,reg0=5' },
    into,
  );
  t.throws(() => checkInjections(plan, odd), {
    name: 'InputError',
    message:
      'script:2: a real port cannot be given packets with reg0=0x5: trace follows such ' +
      'packets, check sends bytes into a port',
  });
  t.end();
});
