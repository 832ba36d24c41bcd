/** What the model makes of a call, with the endpoint that the kernel has chosen. */
import { withDestinations } from './with-destinations.js';
import { assert } from '../../base/errors/errors.js';
import type { HostNote, Observation } from '../../domain/observation.js';
import type { ClusterPlan } from '../../domain/plan/cluster-plan.js';
import type { AddressAndPort } from '../../domain/plan/nat-plan.js';
import type { TestVector } from '../../domain/test-vector.js';
import { runStimulus } from '../../fabric/fabric.js';
import { runToEnd } from '../../lockstep/play-in-lockstep.js';
import { drawsFor } from '../../lockstep/vector-randomness.js';
import { firstCandidateOracle } from '../../model/ambiguity.js';
import { openModel } from '../../testbeds/model/model-testbed.js';
import type { ModelTestbed } from '../../testbeds/model/model-testbed.js';
import { seenPacket, type SeenPacket } from './seen-packets.js';

export interface PredictedCall {
  readonly notes: readonly HostNote[];
  readonly packets: readonly SeenPacket[];
}

export type CallPredictor = (
  vector: TestVector,
  ownPort: number,
  chosen: AddressAndPort | undefined,
) => Promise<PredictedCall>;

/** @param versions of the programs that the model stands for. */
export function callPredictor(
  plan: ClusterPlan,
  versions: Readonly<Record<string, string>>,
): CallPredictor {
  const models = new Map<string, { readonly plan: ClusterPlan; readonly model: ModelTestbed }>();
  const podOf = podsByPort(plan);
  return async ({ id, stimulus }, ownPort, chosen) => {
    assert('to' in stimulus && 'port' in stimulus, 'a call has an address and a port');
    const asked = { ip: stimulus.to, port: stimulus.port };
    const key = JSON.stringify([asked, chosen]);
    const pinned = models.get(key) ?? pinnedTo(plan, asked, chosen);
    const side = 'model' in pinned ? pinned : { plan: pinned, model: openModel(pinned, versions) };
    models.set(key, side);
    await side.model.reset();
    const draws = { ...drawsFor(1, id), srcPort: ownPort };
    const fabric = runStimulus(side.plan, stimulus, draws);
    const target = {
      call: (calls: Parameters<ModelTestbed['call']>[0]) =>
        side.model.call(calls, firstCandidateOracle),
    };
    const { notes, frames } = await runToEnd(target, fabric, fabric.next());
    return { notes, packets: packetsOf(frames, podOf) };
  };
}

function packetsOf(
  frames: Observation['frames'],
  podOf: ReadonlyMap<string, string>,
): readonly SeenPacket[] {
  return frames.flatMap(({ node, port, direction, frame }) => {
    const pod = podOf.get(`${node} ${port}`);
    return pod === undefined ? [] : (seenPacket(pod, direction, frame) ?? []);
  });
}

function podsByPort({ nodes }: ClusterPlan): ReadonlyMap<string, string> {
  return new Map(
    nodes.flatMap(({ node, hosts }) =>
      hosts.flatMap(({ kind, name, interfaces }) =>
        kind === 'pod' ? [[`${node} ${interfaces[0]?.port}`, name] as const] : [],
      ),
    ),
  );
}

/** Which endpoint it is, of those that there are, is chance: the model takes what was taken. */
function pinnedTo(
  plan: ClusterPlan,
  asked: AddressAndPort,
  chosen: AddressAndPort | undefined,
): ClusterPlan {
  if (chosen === undefined) return plan;
  const isChosen = ({ ip, port }: AddressAndPort) => ip === chosen.ip && port === chosen.port;
  return withDestinations(plan, (rules) =>
    rules.map((rule) =>
      rule.match.ip === asked.ip && rule.match.port === asked.port && rule.to.some(isChosen)
        ? { ...rule, to: rule.to.filter(isChosen) }
        : rule,
    ),
  );
}
