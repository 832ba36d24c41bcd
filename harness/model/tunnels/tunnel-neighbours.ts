/**
 * Neighbours on an underlay: set by the plan, or learned from what came in (Open vSwitch
 * lib/tnl-neigh-cache.c).
 */
import { addressNumber } from '../../base/addresses/ip-address.js';
import { Unsupported } from '../../base/errors/errors.js';
import type { BridgePlan } from '../../domain/plan/bridge-plan.js';
import type { Behaviour } from '../behaviour.js';
import type { Generations } from '../megaflow/generations.js';

export interface Neighbour {
  readonly mac: string;
  readonly learnedAtMs: number;
  expiresAtMs: number;
}

export interface Neighbours {
  /** Those of the plan: their MACs. */
  readonly planned: ReadonlyMap<string, string>;
  /** By bridge and address. */
  readonly learned: Map<string, Neighbour>;
  /** When a packet was lost because its neighbour was not known, and somebody was asked. */
  readonly askedAtMs: Map<string, number>;
}

/** The node that looks for a neighbour, or learns of one. */
interface NodeWithNeighbours {
  readonly neighbours: Neighbours;
  readonly behaviour: Behaviour;
  readonly generations: Generations;
  /** Virtual time in ms. */
  readonly nowMs: number;
}

/** The bridge whose LOCAL port stands on the underlay. */
interface UnderlayBridge {
  readonly plan: BridgePlan;
}

/** `tnl/neigh/aging`. */
const agingMs = 15 * 60 * 1000;

/** Only the plan's neighbours are known. */
export function plannedNeighbours(bridges: readonly BridgePlan[]): Neighbours {
  const planned = bridges.flatMap((bridge) =>
    (bridge.underlay?.neighbours ?? []).map(
      ({ ip, mac }) => [neighbourKey(bridge, addressNumber(ip)), mac] as const,
    ),
  );
  return { planned: new Map(planned.toReversed()), learned: new Map(), askedAtMs: new Map() };
}

export function forgetNeighbours({ learned, askedAtMs }: Neighbours): void {
  learned.clear();
  askedAtMs.clear();
}

/**
 * The neighbour's MAC, which is known for longer then. The plan's are set again whenever time has
 * passed.
 */
export function findNeighbour(
  { neighbours, nowMs }: NodeWithNeighbours,
  bridge: UnderlayBridge,
  address: bigint,
): string | undefined {
  const at = neighbourKey(bridge.plan, address);
  const entry = neighbours.learned.get(at);
  const planned = neighbours.planned.get(at);
  if (planned !== undefined && (entry === undefined || entry.learnedAtMs < nowMs)) return planned;
  if (entry === undefined || entry.expiresAtMs <= nowMs) return undefined;
  entry.expiresAtMs = nowMs + agingMs;
  return entry.mac;
}

export function learnNeighbour(
  { neighbours, nowMs, generations }: NodeWithNeighbours,
  bridge: UnderlayBridge,
  address: bigint,
  mac: string,
): void {
  const before = neighbours.learned.get(neighbourKey(bridge.plan, address));
  if (before?.mac !== mac || before.learnedAtMs !== nowMs) generations.learned++;
  neighbours.learned.set(neighbourKey(bridge.plan, address), {
    mac,
    learnedAtMs: nowMs,
    expiresAtMs: nowMs + agingMs,
  });
  neighbours.askedAtMs.delete(neighbourKey(bridge.plan, address));
}

/**
 * Whether the neighbour is asked for now, because a packet is lost that was for it.
 * @throws Unsupported where that depends on what the datapath has cached: a packet that it drops by
 *   itself asks nobody.
 */
export function shouldSolicit(
  { neighbours, behaviour, nowMs }: NodeWithNeighbours,
  bridge: UnderlayBridge,
  address: bigint,
): boolean {
  const askedAtMs = neighbours.askedAtMs.get(neighbourKey(bridge.plan, address));
  if (askedAtMs === undefined) {
    neighbours.askedAtMs.set(neighbourKey(bridge.plan, address), nowMs);
    return true;
  }
  if (nowMs < askedAtMs + behaviour.neighbourPatienceMs) return false;
  throw new Unsupported(
    'the model does not know whether a neighbour is asked for again: packets that the ' +
      'datapath drops from its cache ask nobody',
  );
}

function neighbourKey({ name }: BridgePlan, address: bigint): string {
  return `${name} ${address}`;
}
