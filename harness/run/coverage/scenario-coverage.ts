/** What a scenario covered: policies, Services, matrices and known divergences. */
import type { VectorCounts } from '../../compare/not-compared.js';
import { policyCoverage } from '../../kube/policy-coverage.js';
import type { Network } from '../../kube/objects.js';
import type { ScenarioReport } from '../records/run-report.js';
import type { JudgedVector } from '../judging/vector-judgement.js';
import { serviceCoverage } from './service-coverage.js';
import { matricesOf } from './reachability-matrix.js';
import type { VectorReport } from '../judging/vector-report.js';
import type { KnownContradiction } from '../../domain/known-contradiction.js';
import type { ShardOptions } from '../shards/shard-options.js';

/** How many vectors were played how, of those that were played. */
export function countVectors(
  judged: readonly JudgedVector[],
  { depth, work }: Pick<ShardOptions, 'depth' | 'work'>,
  how: 'alone' | 'in a timeline',
): Omit<VectorCounts, 'hasControllers' | 'ovnTrace'> {
  const asked = work === 'counted' ? judged.map(({ report }) => report.work) : [];
  const ofWork = {
    unread: asked.filter((read) => read === undefined).length,
    uncounted: asked.filter((read) => read !== undefined && !('upcalls' in read)).length,
  };
  const isCold = ({ record }: JudgedVector) => depth === 'cold' || record.vector.depth === 'cold';
  return how === 'in a timeline'
    ? { batched: 0, cold: 0, inTimeline: judged.length, ...ofWork }
    : {
        ...ofWork,
        batched: judged.filter(({ record }) => record.together !== undefined).length,
        cold: judged.filter(isCold).length,
        inTimeline: 0,
      };
}

/** How much of the policy language the cluster's policies use. */
export function policiesOf({ objects }: Network): Pick<ScenarioReport, 'policies'> {
  const count =
    objects === undefined
      ? 0
      : objects.networkPolicies.length + objects.clusterNetworkPolicies.length;
  return objects === undefined || count === 0
    ? {}
    : { policies: { count, coverage: { ...policyCoverage(objects) } } };
}

/** Which of the cluster's Services were asked for. */
export function servicesIn(
  topology: Network,
  judged: readonly JudgedVector[],
): Pick<ScenarioReport, 'services'> {
  const services = serviceCoverage(
    topology,
    judged.map(({ record }) => record.vector.stimulus),
  );
  return services === undefined
    ? {}
    : {
        services: { count: services.count, notAsked: services.notAsked.map((one) => ({ ...one })) },
      };
}

export function matricesIn(vectors: readonly VectorReport[]): Pick<ScenarioReport, 'matrices'> {
  const matrices = matricesOf(vectors, 'played');
  if (matrices.length === 0) return {};
  return {
    matrices: matrices.map(({ sources, destinations, promised, observed = [], service }) => ({
      service,
      sources: [...sources],
      destinations: [...destinations],
      promised: [...promised],
      observed: [...observed],
    })),
  };
}

/** Known divergences in vectors that conform: they occurred there. */
export function knownDivergencesIn(
  known: readonly KnownContradiction[],
  vectors: readonly VectorReport[],
): Pick<ScenarioReport, 'known'> {
  const is = ({ kind, ...intent }: VectorReport['intent'], name: string) =>
    kind === 'contradicted' && intent['by'] === name;
  const occurs = ({ verdict, intent, sibling }: VectorReport, name: string) =>
    verdict === 'conforms' &&
    (is(intent, name) || (sibling !== undefined && is(sibling.intent, name)));
  const met = known.map((one) => ({
    ...one,
    vectors: vectors.filter((vector) => occurs(vector, one.name)).length,
  }));
  const found = met.filter(({ vectors: count }) => count > 0);
  return found.length === 0 ? {} : { known: found };
}
