// Goal: what a scenario gives and cannot be is reported with its path, before anything is done with
// it; what is sound passes. Method: what a shipped scenario gives, as it is, with each part of it
// replaced by something of another type, and with a vector twice.
import t from 'tap';
import changes from '../../../scenarios/antrea/changes.js';
import encap from '../../../scenarios/antrea/encap.js';
import { checkScenarioOutput, type ScenarioOutputs } from './check-scenario.js';

const topology = encap.topology({ nodes: '2', tunnel: 'geneve' });
const plan = encap.controlPlane.plan(topology);
const vectors = encap.vectors(topology);
const [first, second] = vectors;
const timeline = changes.timeline?.({ tunnel: 'geneve' });

void t.test('what is sound passes', (t) => {
  for (const [kind, given] of Object.entries({ topology, plan, vectors, timeline }))
    t.equal(checkScenarioOutput(kind as keyof ScenarioOutputs, given), undefined, kind);
  t.equal(checkScenarioOutput('after', undefined), undefined);
  t.equal(
    checkScenarioOutput(
      'intent',
      encap.intent(
        topology,
        { kind: 'ping', from: 'p1', to: '10.10.1.3' },
        encap.controlPlane.promises,
      ),
    ),
    undefined,
  );
  t.end();
});

void t.test('what is of another type is reported with its path', (t) => {
  const wrong: readonly (readonly [keyof ScenarioOutputs, unknown, RegExp])[] = [
    ['topology', null, /^what is no topology:\n.*expected object, received null/],
    ['topology', { ...topology, nodes: 3 }, /expected array, received number\n.*at nodes$/],
    [
      'plan',
      { nodes: [{ ...plan.nodes[0], bridges: [{ name: 'br-int' }] }] },
      /at nodes\[0\]\.bridges\[0\]\.mac/,
    ],
    ['vectors', {}, /^what is no vectors:\n.*expected array, received object/],
    ['vectors', [first, null], /at \[1\]$/],
    ['vectors', [{ stimulus: first?.stimulus }], /at \[0\]\.id$/],
    ['vectors', [{ id: '', stimulus: first?.stimulus }], /at \[0\]\.id$/],
    [
      'vectors',
      [{ id: 'x', stimulus: { kind: 'pong', from: 'p1', to: '10.10.1.3' } }],
      /at \[0\]\.stimulus\.kind$/,
    ],
    [
      'vectors',
      [{ id: 'x', stimulus: { kind: 'tcp', from: 'p1', to: '10.10.1.3', port: 70000 } }],
      /at \[0\]\.stimulus\.port$/,
    ],
    [
      'vectors',
      [{ id: 'x', stimulus: { kind: 'ping', from: 'p1', to: 7 } }],
      /at \[0\]\.stimulus\.to$/,
    ],
    ['intent', { kind: 'perhaps' }, /^what is no intent:\n.*at kind$/s],
    ['intent', 'denied', /^what is no intent/],
    ['after', { axes: 7 }, /at axes/],
    ['timeline', { cluster: topology }, /at steps$/],
    ['timeline', { cluster: topology, steps: [{ kind: 'rain' }] }, /at steps\[0\]\.kind/],
  ];
  for (const [kind, given, message] of wrong)
    t.match(
      checkScenarioOutput(kind, given),
      message,
      `${kind} ${JSON.stringify(given).slice(0, 80)}`,
    );
  t.end();
});

void t.test('two vectors of one id are reported, with both their places', (t) => {
  const message =
    /^two vectors called "[^"]+", number 1 and number 3 of 3: each needs an id of its own$/;
  t.match(checkScenarioOutput('vectors', [first, second, { ...second, id: first?.id }]), message);
  const steps = [first, second, first].map((vector) => ({ kind: 'vector', vector }));
  t.match(
    checkScenarioOutput('timeline', {
      cluster: topology,
      steps: [steps[0], { kind: 'agent stops', node: 'n1' }, ...steps.slice(1)],
    }),
    message,
  );
  t.end();
});

void t.test(
  'names in a plan that nothing has, or that two have, are reported with their place',
  (t) => {
    /** The plan with the first word `from`, as JSON has it, replaced by `to`. */
    const refusalOf = (from: string, to: string) =>
      checkScenarioOutput('plan', JSON.parse(JSON.stringify(plan).replace(from, to)));
    t.match(
      refusalOf('"interface":"eth0"', '"interface":"eth9"'),
      /^what is no plan:\nnodes\[0\]\.hosts\[0\]\.routes\[0\]\.interface: .* no interface "eth9"/,
    );
    t.match(
      refusalOf('"port":"p1-f64551"', '"port":"antrea-tun0"'),
      /hosts\[0\]\.interfaces\[0\]\.port: there is no port for a host "antrea-tun0" here/,
    );
    t.match(
      refusalOf('"node":"n2"', '"node":"n1"'),
      /nodes\[1\]\.node: "n1" is at nodes\[0\]\.node already/,
    );
    t.match(
      refusalOf('"name":"p2"', '"name":"p1"'),
      /nodes\[0\]\.hosts\[1\]\.name: "p1" is at nodes/,
    );
    t.match(
      refusalOf('"ofport":2', '"ofport":1'),
      /ports\[\d\]\.ofport: "1" is at .*ports\[\d\]\.ofport/,
    );
    t.match(refusalOf('"ofport":2', '"ofport":99999'), /expected number to be <=65279/);
    t.equal(refusalOf('no such words', ''), undefined);
    t.end();
  },
);
