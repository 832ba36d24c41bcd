/** One stream, from the prediction to the verdict. */
import { release } from 'node:os';
import { assert } from '../base/errors/errors.js';
import type { ClusterPlan } from '../domain/plan/cluster-plan.js';
import type { Image } from '../ovs/process/image.js';
import type { OpenOptions } from '../testbeds/ovs-switches.js';
import { accountForLosses, type LossAccount } from './account-retransmissions.js';
import {
  judgeStream,
  measureStream,
  predictStream,
  type StreamMeasurement,
  type StreamPrediction,
} from './judge-stream.js';
import { openRealCluster } from './open-real-cluster.js';
import { faultyPoint, type StreamFault } from './planted-faults.js';
import { police } from './police.js';
import { playStream, type PlayedStream } from './play-stream.js';
import { frameBytesOf, payloadOf } from './predict-frame.js';
import type { StreamPoint } from './stream-scenario.js';

export interface StreamResult {
  readonly verdict: 'conforms' | 'diverges';
  readonly versions: Readonly<Record<string, string>>;
  readonly predicted: StreamPrediction;
  readonly measured: StreamMeasurement;
  readonly sentBytes: number;
  readonly receivedBytes: number;
  readonly losses: Omit<LossAccount, 'lost'> & {
    readonly lost: number;
    /** As the queue of the link, and as the sender's kernel have counted. */
    readonly droppedByLink: number;
    readonly sentAgain: number;
  };
  /** What is not as predicted, in words. */
  readonly differences: readonly string[];
}

/** @throws Unavailable where this kernel has no such links, or something did not come up. */
export async function runStream(
  point: StreamPoint,
  image: Image,
  options: OpenOptions,
  fault?: StreamFault,
): Promise<StreamResult> {
  const payload = payloadOf(point);
  const predicted = predictStream(payload, await frameBytesOf(point), point.link.rateMbit);
  const real = faultyPoint(point, fault);
  const cluster = await openRealCluster(real.plan, image, {
    ...options,
    links: linksOf(real),
    podMtu: real.podMtu,
    superPackets: fault === 'super-packets' ? 'as usual' : 'never',
  });
  try {
    if (fault === 'policer')
      await police(
        cluster.placeOf(real.sender.node),
        portOf(real.plan, real.sender.pod),
        real.link.rateMbit / 2,
      );
    const played = await playStream(cluster, {
      protocol: real.protocol,
      from: real.sender.ip,
      to: real.receiver.ip,
      sender: real.sender.pod,
      receiver: real.receiver.pod,
      senderNode: real.sender.node,
      bytes: real.bytes,
      datagramBytes: payloadOf(real),
    });
    const dropped = await cluster.droppedByLink(real.sender.node);
    const versions = { ...cluster.switches.versions, linux: release() };
    return { versions, ...resultOf(point, predicted, played, dropped) };
  } finally {
    await cluster.close();
  }
}

function resultOf(
  { bytes, link, protocol }: StreamPoint,
  predicted: StreamPrediction,
  played: PlayedStream,
  droppedByLink: number,
): Omit<StreamResult, 'versions'> {
  const measured = measureStream(
    played.onLink.filter(({ payload }) => payload > 0),
    protocol,
  );
  const { lost, ...losses } = accountForLosses(played.sent, played.arrived);
  const isLossy = link.lossPercent !== undefined || link.reorderPercent !== undefined;
  const again = losses.retransmissions.length;
  const differences = [
    ...(played.receivedBytes === bytes
      ? []
      : [`${played.receivedBytes} bytes arrived, of ${bytes} that were sent`]),
    // A link that loses is never full; what crosses it is still held to the byte.
    ...judgeStream(predicted, measured, isLossy ? 'frames alone' : 'frames and goodput'),
    ...(protocol === 'tcp' ? losses.unexplained : []),
    ...(protocol === 'tcp' && again !== played.sentAgain
      ? [`${again} segments were seen to be sent again, the sender counts ${played.sentAgain}`]
      : []),
    ...(isLossy || lost.length === 0 ? [] : [`${lost.length} packets lost on a link without loss`]),
    ...(lost.length <= droppedByLink
      ? []
      : [`${lost.length} packets lost, the link counts ${droppedByLink} dropped`]),
  ];
  return {
    verdict: differences.length === 0 ? 'conforms' : 'diverges',
    predicted,
    measured,
    sentBytes: bytes,
    receivedBytes: played.receivedBytes,
    losses: { ...losses, lost: lost.length, droppedByLink, sentAgain: played.sentAgain },
    differences,
  };
}

function portOf({ nodes }: ClusterPlan, pod: string): string {
  const host = nodes.flatMap(({ hosts }) => hosts).find(({ name }) => name === pod);
  const port = host?.interfaces[0]?.port;
  assert(port !== undefined, `pod ${pod} is at a port`);
  return port;
}

function linksOf({ plan, sender, link, back }: StreamPoint) {
  return new Map(plan.nodes.map(({ node }) => [node, node === sender.node ? link : back]));
}
