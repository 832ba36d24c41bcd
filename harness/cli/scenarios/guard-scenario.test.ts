// Goal: a guarded scenario is the scenario, in all that it has, but for what its functions throw;
// the project's own run in one process.
// Method: every scenario's parts beside functions are held against those of its guarded twin, and
// each function of the control plane is called through it.
import { fileURLToPath } from 'node:url';
import t from 'tap';
import encap from '../../../scenarios/antrea/encap.js';
import type { ControlPlane } from '../../domain/plan/control-plane.js';
import type { Scenario } from '../../domain/scenario.js';
import type { Topology } from '../../domain/topology.js';
import { descendantsOf } from '../processes/descendants.js';
import { guardScenario } from './guard-scenario.js';
import { loadScenario, matrix, scenarioNames } from './scenarios.js';

const dataOf = (object: object): object =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => typeof value !== 'function'));

void t.test('nothing of a scenario or its control plane is lost', (t) => {
  const scenario = encap as unknown as Scenario;
  const twin = guardScenario(scenario, 'antrea/encap');
  t.same(Object.keys(twin).sort(), Object.keys(scenario).sort());
  t.same(Object.keys(twin.controlPlane).sort(), Object.keys(scenario.controlPlane).sort());
  t.same(dataOf(twin.controlPlane), dataOf(scenario.controlPlane));
  t.ok((twin.controlPlane.known ?? []).length > 0, 'known divergences among them');
  t.end();
});

const root = fileURLToPath(new URL('../../../..', import.meta.url));

const scenarioProcesses = (): number =>
  descendantsOf(process.pid).filter(({ command }) => command.includes('run-scenario-process'))
    .length;

void t.test('all own scenarios run in one process, loaded at once too', async (t) => {
  await loadScenario(root, 'antrea/encap'); // files before this one may have started the process
  const before = scenarioProcesses();
  t.ok(before > 0);
  const names = await scenarioNames(root);
  await Promise.all(names.map((name) => loadScenario(root, name)));
  t.ok(names.length > 50);
  t.equal(scenarioProcesses(), before, 'no other one is started');
});

void t.test('what every shipped scenario gives passes', async (t) => {
  for (const name of await scenarioNames(root)) {
    const scenario = await loadScenario(root, name);
    const [axes = {}] = matrix(scenario, new Map());
    const topology = scenario.topology(axes);
    const vectors = scenario.timeline?.(axes).steps ?? scenario.vectors(topology);
    t.ok(scenario.controlPlane.plan(topology).nodes.length > 0 && vectors.length > 0, name);
    scenario.after?.(axes);
  }
});

void t.test('what a function throws is reported with the function', (t) => {
  const controlPlane: ControlPlane<Topology> = {
    ...encap.controlPlane,
    plan: () => {
      throw new TypeError('x is not y');
    },
  };
  const twin = guardScenario({ ...(encap as unknown as Scenario), controlPlane }, 'mine');
  const topology = twin.topology({ nodes: '2', tunnel: 'geneve' });
  t.throws(() => twin.controlPlane.plan(topology), {
    name: 'InputError',
    message: /scenario mine: controlPlane\.plan\(\) threw TypeError: x is not y/,
  });
  t.end();
});
