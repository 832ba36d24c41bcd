/**
 * Goal: OVN programs a cluster's switches, alike each time, and where one of its daemons ends or a
 * condition never comes true, that is a failure with its reason and no hang. Method: the cluster of
 * scenarios/ovn/first, brought up twice; then with a port that is nobody's, and with each kind of
 * daemon killed.
 */
import t from 'tap';
import { openImage } from '../../images/images.js';
import scenario from '../../scenarios/ovn/first.js';
import { yieldToEventLoop } from '../base/concurrency/yield-to-event-loop.js';
import { assert } from '../base/errors/errors.js';
import type { ClusterPlan } from '../domain/plan/cluster-plan.js';
import type { OvsSwitches } from '../testbeds/ovs-switches.js';
import { openSim } from '../testbeds/sim/sim.js';

const image = await openImage('trixie', (line) => t.comment(line));
const topology = scenario.topology({ nodes: '2' });
const plan = scenario.controlPlane.plan(topology);

function compiledOf({ compiled }: OvsSwitches): ClusterPlan {
  assert(compiled !== undefined, 'OVN has compiled the plan');
  return compiled;
}

void t.test('two builds of one network hold the same flows', async (t) => {
  const builds: ClusterPlan[] = [];
  for (const _ of ['first', 'second']) {
    const switches = await openSim(plan, image);
    builds.push(compiledOf(switches));
    t.ok(switches.versions['ovn-northd'], 'northd has a version');
    await switches.close();
  }
  const [first, second] = builds;
  const flows = first?.nodes.flatMap(({ bridges }) => bridges.flatMap((bridge) => bridge.flows));
  t.ok((flows?.length ?? 0) > 500, `${flows?.length} flows`);
  t.strictSame(first, second);
});

void t.test('a daemon that ends is named, whatever is asked next', async (t) => {
  const asked = ['call', 'state'] as const;
  for (const [index, name] of [
    'ovn-northd of zone global',
    'ovn-controller of node n2',
    'ovsdb-server of the southbound database of zone global',
  ].entries()) {
    const switches = await openSim(plan, image);
    try {
      const pid = switches.ovnDaemons?.get(name);
      assert(pid !== undefined, `${name} among ${[...(switches.ovnDaemons?.keys() ?? [])].join()}`);
      process.kill(pid, 'SIGKILL');
      const ask = () => (asked[index % 2] === 'call' ? switches.call([]) : switches.state());
      await t.rejects(untilRefused(ask), {
        name: 'Unavailable',
        message: `${name} was ended by SIGKILL`,
      });
    } finally {
      await switches.close();
    }
  }
});

/** Asks until the end of the process has been seen; the test's own limit is the only one. */
async function untilRefused(ask: () => Promise<unknown>): Promise<never> {
  for (;;) {
    await ask();
    await yieldToEventLoop();
  }
}
