/**
 * Goal: ovn-trace says of each packet into a logical port what OpenFlow does with it, and where
 * OpenFlow does something else, the logical flow is named: also where no promise is broken. Method:
 * the model on what OVN has compiled for scenarios/ovn/first, as it is, and with one flow changed
 * as a broken ovn-controller could: both sides of a run would do the same then.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { openImage } from '../../../images/images.js';
import scenario from '../../../scenarios/ovn/first.js';
import { assert } from '../../base/errors/errors.js';
import type { ClusterPlan } from '../../domain/plan/cluster-plan.js';
import type { Stimulus } from '../../domain/test-vector.js';
import { withEmulatedHosts } from '../../lockstep/emulated-hosts.js';
import { firstCandidateOracle } from '../../model/ambiguity.js';
import type { Image } from '../../ovs/process/image.js';
import { openModel } from '../../testbeds/model/model-testbed.js';
import { openSim } from '../../testbeds/sim/sim.js';
import { logicalPackets } from '../../compare/logical/compare-logical.js';
import { logicalPassages } from '../../compare/logical/logical-passages.js';
import { flowSource } from '../flow-sources.js';
import { checkLogically } from './logical-check.js';

const image = await openImage('trixie', (line) => t.comment(line));
const topology = scenario.topology({ nodes: '2' });
const log = join(t.testdir(), 'asked');
/** Writes down what ovn-trace is started with; it is found beside ovn-nbctl. */
const watched: Image = {
  ...image,
  command: (program) =>
    program === 'ovn-nbctl'
      ? ['/bin/sh', '-c', 'echo "$@" >>"$0"; exec "$@"', log, ...image.command(program)]
      : image.command(program),
};
const switches = await openSim(scenario.controlPlane.plan(topology), watched);
t.teardown(() => switches.close());
const { compiled } = switches;
assert(compiled !== undefined, 'OVN has compiled the plan');

async function played(plan: ClusterPlan, stimulus: Stimulus) {
  const model = openModel(plan, switches.versions);
  const oracle = { ...firstCandidateOracle, equivalentFlows: 'first' } as const;
  const cluster = withEmulatedHosts(
    { ...model, call: (calls) => model.call(calls, oracle) },
    plan,
    { seed: 1, hosts: 'start afresh' },
  );
  const observation = await cluster.play('vector', stimulus);
  return { observation, traces: model.traces() };
}

async function check(plan: ClusterPlan, stimulus: Stimulus) {
  const { observation, traces } = await played(plan, stimulus);
  const found = await checkLogically(switches, plan, observation, traces);
  assert(found !== undefined, 'OVN programs the switches');
  return found;
}

/** The flow with this text in n1's br-int, changed. */
function broken(plan: ClusterPlan, source: RegExp, change: (flow: string) => string): ClusterPlan {
  let changed = 0;
  const nodes = plan.nodes.map((node) => ({
    ...node,
    bridges: node.bridges.map((bridge) => ({
      ...bridge,
      flows: bridge.flows.map((flow) => {
        const cookie = /\bcookie=(0x[0-9a-f]+)/.exec(flow)?.[1] ?? '';
        if (node.node !== 'n1' || !source.test(bridge.sources?.[cookie] ?? '')) return flow;
        changed++;
        return change(flow);
      }),
    })),
  }));
  assert(changed > 0, `a flow that OVN compiled from ${String(source)}`);
  return { ...plan, nodes };
}

const ping = { kind: 'ping', from: 'p1', to: '10.10.2.2' } as const;

void t.test('what OVN has compiled does as ovn-trace says', async (t) => {
  const { differences, count } = await check(compiled, ping);
  t.strictSame(differences, []);
  t.ok(count.expected > 3 && count.made === count.expected, JSON.stringify(count));
});

void t.test('a packet that comes out elsewhere', async (t) => {
  const elsewhere = broken(compiled, /lr_in_arp_resolve .*reg0 == 10\.10\.2\.2\b/, (flow) =>
    flow.replace(/actions=.*/, 'actions=drop'),
  );
  const { differences } = await check(elsewhere, ping);
  t.match(differences[0], {
    aspect: 'ovn-trace',
    between: 'OpenFlow and ovn-trace',
    summary: /comes out of no port, by ovn-trace of p3; ovn-trace takes .* lr_in_arp_request /,
    at: { because: /OVN compiled it from: .* lr_in_arp_resolve / },
  });
});

void t.test('a stage that is passed over, and nobody would notice', async (t) => {
  const open = broken(compiled, /lr_in_policy priority=0 1$/, (flow) =>
    flow.replace(/cookie=0x[0-9a-f]+/, 'cookie=0x1'),
  );
  const { differences } = await check(open, ping);
  t.match(differences[0], {
    summary: /comes out of p3, by ovn-trace of p3; ovn-trace takes .* lr_in_policy priority=0 1$/,
  });
});

void t.test('asked in turn it says what it says of each packet alone', async (t) => {
  const { traceLogically } = switches;
  assert(traceLogically !== undefined && compiled !== undefined, 'OVN programs the switches');
  const tcp = { kind: 'tcp', from: 'p1', to: '10.10.2.2', port: 80 } as const;
  const { observation, traces } = await played(compiled, tcp);
  const passages = logicalPassages(compiled, observation, traces);
  const packets = logicalPackets(passages, (flow) => flowSource(compiled, flow));
  t.ok(packets.length >= 4, `${packets.length} packets`);
  const [first, second, ...others] = packets;
  assert(first !== undefined && second !== undefined, 'TCP has more than two packets');
  // It takes fewer states than these, and two that are not alike.
  const tooMany = { ...second, ctStates: [...(second.ctStates ?? []), 0x21, 0x21] };
  const asked = [first, tooMany, ...others, { ...first, ctStates: [] }, ...packets];
  const alone = [];
  for (const packet of asked) alone.push(...(await traceLogically([packet])));
  writeFileSync(log, '');
  t.strictSame(await traceLogically(asked), alone);
  const started = readFileSync(log, 'utf8').trim().split('\n');
  const daemons = started.filter((line) => line.includes('--detach'));
  t.ok(daemons.length > 0 && daemons.length <= 3, `${daemons.length} daemons`);
  t.ok(started.length < asked.length, `${started.length} programs for ${asked.length} packets`);
  t.ok(alone.every(({ flows }) => flows.length > 0));
});
