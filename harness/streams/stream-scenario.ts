/** What is streamed, over which links, and what of it is held to a prediction. */
import type { LinkProperties } from '../domain/link.js';
import type { ClusterPlan } from '../domain/plan/cluster-plan.js';
import type { Axis } from '../domain/scenario.js';

/** One stream of a point of a matrix, with the network that it crosses. */
export interface StreamPoint {
  readonly plan: ClusterPlan;
  readonly protocol: 'tcp' | 'udp';
  readonly sender: { readonly pod: string; readonly ip: string; readonly node: string };
  readonly receiver: { readonly pod: string; readonly ip: string };
  readonly bytes: number;
  readonly podMtu: number;
  /** The link of the sender's node. */
  readonly link: LinkProperties & { readonly rateMbit: number };
  /** That of the receiver's, which answers come by. */
  readonly back: LinkProperties;
}

export interface StreamScenario {
  readonly name: string;
  readonly title: string;
  readonly axes: Readonly<Record<string, Axis>>;
  pointOf(axes: Readonly<Record<string, string>>): StreamPoint;
}
