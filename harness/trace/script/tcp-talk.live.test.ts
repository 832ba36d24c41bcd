/**
 * Goal: inject-tcp is a whole connection, through translated addresses too, and model and switch
 * agree on it; what is lost on the way ends it. Method: a bridge that translates a service's
 * address, and with another port the client's; the model's frames against addresses, then check on
 * real switches. SUITE=trixie for one version.
 */
import t from 'tap';
import { openImage } from '../../../images/images.js';
import type { SwitchStep } from '../../domain/switching.js';
import { openSim } from '../../testbeds/sim/sim.js';
import { checkReport, checkedScript } from '../check-report.js';
import { dumpedSwitch } from '../../dumps/dumped-switch.js';
import { checkInjections, checkScript } from './check-script.js';
import { playScript } from './play-script.js';
import { readScript } from './read-script.js';

const suites = (process.env['SUITE'] ?? 'bookworm,trixie,sid').split(',');
const flows = `table=0,priority=9,tcp,in_port=1,tp_dst=80 actions=ct(commit,table=1,zone=1,nat(dst=10.0.0.2:8080))
table=0,priority=9,tcp,in_port=2 actions=ct(table=2,zone=1,nat)
table=0,priority=8,tcp,in_port=1,tp_dst=81 actions=ct(commit,table=1,zone=2,nat(src=10.9.9.9:5000))
table=0,priority=9,tcp,in_port=3 actions=ct(table=2,zone=2,nat)
table=0,priority=9,tcp,in_port=1,tp_dst=82 actions=drop
table=0,priority=9,tcp,in_port=1,tp_dst=83 actions=set_field:10.0.0.2->nw_dst,output:4
table=0,priority=9,tcp,in_port=4 actions=output:1
table=1,tp_dst=81,tcp actions=dec_ttl,output:3
table=1,priority=1 actions=output:2
table=2 actions=output:1
`;
const shown =
  ['1(p1)', '2(p2)', '3(p3)', '4(p4)']
    .map((port, at) => ` ${port}: addr:aa:55:aa:55:00:0${at + 1}\n`)
    .join('') + ' LOCAL(br0): addr:aa:bb:cc:dd:ee:ff\n';
const target = dumpedSwitch([
  { bridge: 'br0', flows: { text: flows, file: 'flows' }, ports: { text: shown, file: 'ports' } },
]);
const to = (port: number) =>
  'dl_src=0a:00:00:00:00:01,dl_dst=0a:00:00:00:00:02,nw_src=10.0.0.1,nw_dst=10.96.0.1,nw_ttl=1,' +
  `tp_src=4000,tp_dst=${port}`;
const ttl = to(81).replace('nw_ttl=1', 'nw_ttl=64');
const script = readScript(
  {
    file: 'script',
    text: `inject-tcp p1 p2 ${to(80)}\ninject-tcp p1 p3 ${ttl}\ninject-tcp p1 p2 ${to(82)}
inject-tcp p1 p4 ${to(83)}\ndump-conntrack\n`,
  },
  target,
);

/** `p1 10.96.0.1:80 > 10.0.0.1:4000`. */
function ends(port: string, frame: Uint8Array): string {
  const address = (at: number) => frame.subarray(at, at + 4).join('.');
  const number = (at: number) => (frame[at] ?? 0) * 256 + (frame[at + 1] ?? 0);
  return `${port} ${address(26)}:${number(34)} > ${address(30)}:${number(36)}`;
}

void t.test('what each end gets, and what ends a connection', (t) => {
  const played = playScript(script).map(({ result }) =>
    result.kind === 'packet'
      ? result.packet.outputs.map(({ port, frame }) => ends(port, frame)).join()
      : result.kind === 'unsent'
        ? result.why
        : result.kind,
  );
  const [there, back] = ['p2 10.0.0.1:4000 > 10.0.0.2:8080', 'p1 10.96.0.1:80 > 10.0.0.1:4000'];
  const order = [there, back, there, there, back, back, there, back, there];
  t.strictSame(played.slice(0, 9), order);
  const translated = ['p3 10.9.9.9:5000 > 10.96.0.1:81', 'p1 10.96.0.1:81 > 10.0.0.1:4000'];
  t.strictSame(
    played.slice(9, 18),
    order.map((one) => translated[one === there ? 0 : 1]),
  );
  t.strictSame(played.slice(18, 27), ['', ...Array<string>(8).fill('SYN has not come out of p2')]);
  t.strictSame(played.slice(27, 29), [
    'p4 10.0.0.1:4000 > 10.0.0.2:83',
    'p1 10.0.0.2:83 > 10.0.0.1:4000',
  ]);
  t.match(played[29], /^SYN\+ACK has come out of p1 with other addresses or ports than those/);
  t.end();
});

for (const suite of suites)
  void t.test(`model and ${suite} agree`, async (t) => {
    checkInjections(target.plan, script.steps);
    const sim = await openSim(
      { nodes: [target.plan] },
      await openImage(suite, (line) => t.comment(line)),
    );
    t.teardown(() => sim.close());
    const result = await checkScript({ plan: target.plan, calls: [], realCalls: [] }, sim, script);
    t.strictSame(result.divergence, undefined);
    t.match(result.counts, { frames: { made: 20 } });
    const checked = checkedScript(suite, '', result);
    t.equal(checked.unsent?.length, 15);
    t.doesNotThrow(() => checkReport.parse(JSON.parse(JSON.stringify({ images: [checked] }))));
  });

void t.test('an answer that the switch does not translate back is found', async (t) => {
  const wire = (step: SwitchStep) => ({
    ...step,
    outputs: step.outputs.map(({ port, frame }) => {
      if (port !== 'p1') return { port, frame };
      const changed = frame.slice();
      changed[29] = 2;
      return { port, frame: changed };
    }),
  });
  const sim = await openSim(
    { nodes: [target.plan] },
    await openImage(suites[0] ?? '', (line) => t.comment(line)),
    { wire },
  );
  t.teardown(() => sim.close());
  const { divergence } = await checkScript(
    { plan: target.plan, calls: [], realCalls: [] },
    sim,
    script,
  );
  t.match(divergence?.step.text, /\(SYN\+ACK\)$/);
});
