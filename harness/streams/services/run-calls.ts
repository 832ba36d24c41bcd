/** All calls of a point, from real nodes to the verdict. */
import { withDestinations } from './with-destinations.js';
import { release } from 'node:os';
import { assert } from '../../base/errors/errors.js';
import type { ClusterPlan } from '../../domain/plan/cluster-plan.js';
import type { DnatRule } from '../../domain/plan/nat-plan.js';
import type { Image } from '../../ovs/process/image.js';
import type { OpenOptions } from '../../testbeds/ovs-switches.js';
import { openRealCluster } from '../open-real-cluster.js';
import { judgeCall, type JudgedCall } from './judge-calls.js';
import { playCalls } from './play-calls.js';
import { callPredictor } from './predict-call.js';
import type { ServicePoint } from './service-scenario.js';

export interface CallsResult {
  readonly verdict: 'conforms' | 'diverges';
  readonly versions: Readonly<Record<string, string>>;
  readonly calls: readonly JudgedCall[];
  readonly packets: number;
  readonly leftOut: ServicePoint['leftOut'];
}

export const serviceFaults = {
  'wrong-endpoint': 'a rule of nftables sends the first Service to an endpoint of another one',
  'no-masquerade': 'nftables translates Services without masquerade: senders stay what they are',
} as const;
export type ServiceFault = keyof typeof serviceFaults;

/**
 * What Antrea leaves of 1500 bytes beside Geneve; without a tunnel no packet of these is as long.
 */
const podMtu = 1450;

/** @throws Unavailable where something did not come up. */
export async function runCalls(
  point: ServicePoint,
  image: Image,
  options: OpenOptions,
  fault?: ServiceFault,
): Promise<CallsResult> {
  const cluster = await openRealCluster(faulty(point.plan, fault), image, {
    ...options,
    links: new Map(),
    podMtu,
    superPackets: 'never',
  });
  try {
    const versions = { ...cluster.switches.versions, linux: release() };
    const predict = callPredictor(point.plan, versions);
    const calls: JudgedCall[] = [];
    for (const played of await playCalls(cluster, point.calls)) {
      const { vector, ownPort, chosen } = played;
      const predicted = await predict(vector, ownPort, chosen);
      calls.push(judgeCall(played, point.intentOf(vector), predicted));
    }
    return {
      verdict: calls.some(({ differences }) => differences.length > 0) ? 'diverges' : 'conforms',
      versions,
      calls,
      packets: calls.reduce((sum, { packets }) => sum + packets, 0),
      leftOut: point.leftOut,
    };
  } finally {
    await cluster.close();
  }
}

/** The nodes as the fault makes them; promises and model are of those as they should be. */
function faulty(plan: ClusterPlan, fault: ServiceFault | undefined): ClusterPlan {
  return fault === undefined ? plan : withDestinations(plan, (rules) => faultyRules(rules, fault));
}

function faultyRules(rules: readonly DnatRule[], fault: ServiceFault): readonly DnatRule[] {
  if (fault === 'no-masquerade')
    return rules.map((rule) => ({ ...rule, keepsSenders: ['0.0.0.0/0'] }));
  const [first, ...others] = rules;
  const wrong = others.find(
    ({ match, to }) =>
      match.protocol === first?.match.protocol &&
      to.some(({ ip }) => !first.to.some((one) => one.ip === ip)),
  );
  assert(first !== undefined && wrong !== undefined, 'two Services of different endpoints');
  return [{ ...first, to: wrong.to }, ...others];
}
