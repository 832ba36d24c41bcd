/**
 * A scenario whose functions cannot bring the harness down: what they throw, and what they give
 * that cannot be, is reported with scenario, function and place.
 */
import { BugInFlowbed, InputError, Unsupported } from '../../base/errors/errors.js';
import { refusedByMachine } from '../../base/errors/machine-refusal.js';
import type { Scenario } from '../../domain/scenario.js';
import { checkScenarioOutput, type ScenarioOutputs } from '../../run/shapes/check-scenario.js';
import { describeThrown } from '../processes/guard-exit.js';
import { ThrownThere } from '../scenario-process/far-scenario.js';

/**
 * @param source as it was asked for: a name, or a file. @throws InputError from its functions, but
 *   for what the model does not know, the machine refuses and is our own bug.
 */
export function guardScenario(scenario: Scenario, source: string): Scenario {
  const { controlPlane } = scenario;
  const call = <K extends keyof ScenarioOutputs>(
    what: string,
    kind: K,
    work: () => ScenarioOutputs[K],
  ): ScenarioOutputs[K] => {
    const complain = (lines: string | readonly string[], place?: InputError['place']) => {
      const [first = '', ...others] = typeof lines === 'string' ? [lines] : lines;
      return new InputError([`scenario ${source}: ${what} ${first}`, ...others], place);
    };
    let given: ScenarioOutputs[K];
    try {
      given = work();
    } catch (thrown) {
      if (
        thrown instanceof InputError ||
        thrown instanceof Unsupported ||
        thrown instanceof BugInFlowbed ||
        refusedByMachine(thrown) !== undefined
      )
        throw thrown;
      throw thrown instanceof ThrownThere
        ? complain(thrown.did, thrown.thrownAt)
        : complain(`threw ${describeThrown(thrown)}`);
    }
    const wrong = checkScenarioOutput(kind, given);
    if (wrong !== undefined) throw complain(`gave ${wrong}`.split('\n'));
    return given;
  };
  const { after, timeline } = scenario;
  return {
    ...scenario,
    topology: (values) => call('topology()', 'topology', () => scenario.topology(values)),
    vectors: (topology) => call('vectors()', 'vectors', () => scenario.vectors(topology)),
    intent: (topology, stimulus, promises) =>
      call(`intent() of what ${stimulus.from} sends`, 'intent', () =>
        scenario.intent(topology, stimulus, promises),
      ),
    controlPlane: {
      ...controlPlane,
      plan: (cluster, before) =>
        call('controlPlane.plan()', 'plan', () => controlPlane.plan(cluster, before)),
      ...(controlPlane.restarted === undefined
        ? {}
        : {
            restarted: (before, node) =>
              call(
                'controlPlane.restarted()',
                'plan',
                () => controlPlane.restarted?.(before, node) ?? before,
              ),
          }),
    },
    ...(after === undefined
      ? {}
      : { after: (values) => call('after()', 'after', () => after.call(scenario, values)) }),
    ...(timeline === undefined
      ? {}
      : {
          timeline: (values) =>
            call('timeline()', 'timeline', () => timeline.call(scenario, values)),
        }),
  };
}
