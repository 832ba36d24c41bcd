/** One case of the fuzzer as plain data: what a bridge holds and the frames that go through it. */
import type { BridgePlan, NodePlan } from '../nouns/plan.js';

export interface FuzzCase {
  /** As ovs-ofctl(8) reads them, one each; a group stands behind those that its buckets name. */
  readonly groups: readonly string[];
  readonly flows: readonly string[];
  readonly frames: readonly FrameIn[];
}

/** A frame and the port that it comes in at, by the port's name. */
export interface FrameIn {
  readonly port: string;
  readonly frame: Uint8Array;
}

export const node = 'switch';
export const bridge = 'br0';

/** OpenFlow numbers of the bridge's ports, beside LOCAL; a port is called by its number. */
export const portNumbers: readonly number[] = [1, 2, 3, 4];

/** Connection ids of the controllers that listen. */
export const controllerIds: readonly number[] = [0, 7];

/** The bridge that every case plays on, with the case's own flows and groups. */
export function planOf({ groups, flows }: Pick<FuzzCase, 'groups' | 'flows'>): NodePlan {
  const plan: BridgePlan = { name: bridge, mac: '02:00:00:00:00:01', ports: portNumbers.map((ofport) => ({ kind: 'endpoint', name: String(ofport), ofport })), flows, groups, controllers: controllerIds.map((id) => ({ id, paused: 'resumed' })) };
  return { node, hosts: [], bridges: [plan] };
}
