/** Scenarios on a network of the user's own: which can use it, before any switch comes up. */
import { basename } from 'node:path';
import { InputError, Unsupported } from '../base/errors.js';
import type { Network } from '../kube/objects.js';
import type { Scenario } from '../nouns/scenario.js';

export interface GivenNetwork {
  readonly axis: 'topology' | 'manifests';
  readonly path: string;
  readonly network: Network;
}

/**
 * The scenarios on that network; axes that shape a scenario's own no longer mean anything. Of those
 * that were named each must be able to use it; among all, those that cannot are left out.
 * @throws InputError telling why a scenario cannot, or why none can.
 */
export function onNetwork(
  scenarios: readonly Scenario[],
  given: GivenNetwork,
  which: 'named' | 'all',
): readonly Scenario[] {
  const { axis, path, network } = given;
  const axes = { [axis]: { values: [basename(path)], default: [basename(path)] } };
  const tried = scenarios.map(({ after: _, ...scenario }) => ({
    scenario,
    wrong: unfitness(scenario, network),
  }));
  const unfit = tried.find(({ wrong }) => wrong !== undefined);
  const fit = tried.filter(({ wrong }) => wrong === undefined);
  if (unfit !== undefined && (which === 'named' || fit.length === 0))
    throw new InputError(`--${axis} ${path}: ${unfit.scenario.name} cannot use it: ${unfit.wrong}`);
  return fit.map(({ scenario }) => ({ ...scenario, axes, topology: () => network }));
}

/** Why the scenario cannot be played on the network; undefined where it can. */
function unfitness(scenario: Scenario, network: Network): string | undefined {
  if (scenario.history !== undefined)
    return 'it is a history of its own network; run it without, or name other scenarios';
  try {
    scenario.controlPlane.plan(network);
    const vectors = scenario.vectors(network);
    if (vectors.length === 0)
      return 'it has nothing to send there: hosts or objects that it is about are missing';
    const known = new Set(
      [
        ...network.nodes,
        ...network.nodes.flatMap(({ pods }) => pods),
        ...(network.externalHosts ?? []),
      ].map(({ name }) => name),
    );
    const stranger = vectors.find(({ stimulus }) => !known.has(stimulus.from));
    return stranger === undefined
      ? undefined
      : `its vector ${stranger.id} is sent by "${stranger.stimulus.from}", which is not there`;
  } catch (error) {
    if (error instanceof InputError || error instanceof Unsupported) return error.message;
    throw error;
  }
}
