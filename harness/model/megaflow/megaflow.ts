/**
 * The outcome for packets that share the bits which their translation reads: as Open vSwitch's
 * datapath caches it (ovs-vswitchd(8), "dpctl/dump-flows"), so that tables are walked through once
 * for all of them. Not cached are fragments, packets of a bridge with mirrors, translations with
 * all details recorded, and those that call `avoidCaching` with a reason: what depends on more than
 * the packet's fields and the flows.
 */
import { keyWords, word, type FlowKey } from '../../packet/flow-key/flow-key.js';
import {
  addBucket,
  bucketFor,
  bucketWith,
  emptyHashSubtable,
  hasMask,
  valuesOf,
  type HashSubtable,
} from '../tables/classifier/hash-subtable.js';
import type { TraceStep } from '../trace/trace.js';
import type { Generations } from './generations.js';
import {
  rarelyDistinct,
  type CreditedFlow,
  type DatapathEvent,
  type MegaflowDraft,
} from './unwildcard.js';
import { type Patch, patchOf, metadataPatch } from './patch.js';

/** An event, with the packet's fields as they are by then. */
export type MegaflowEvent =
  | Exclude<DatapathEvent, { readonly key: FlowKey }>
  | { readonly kind: 'commit'; readonly patch: Patch }
  | (Pick<Extract<DatapathEvent, { readonly kind: 'track' }>, 'kind' | 'request'> & {
      readonly patch: Patch;
    });

export interface Megaflow {
  /** It is not for packets that came in at these ports. */
  readonly excludedInPorts: readonly number[];
  readonly steps: readonly TraceStep[];
  readonly credited: readonly CreditedFlow[];
  readonly events: readonly MegaflowEvent[];
  /**
   * What was learned of addresses, as `Changes` counts it, and the virtual time at which it held;
   * missing where that had no part in it.
   */
  readonly learned?: { readonly changes: number; readonly ms: number };
}

/**
 * Where a translation begins. What else it depends on that is not in the key is part of `table`.
 */
export interface MegaflowTable {
  readonly bridge: object;
  readonly table: number | string;
}

/** Those of one node. */
export interface Megaflows {
  /** By where translations begin: a bridge, and a table there. */
  readonly subtables: Map<object, Map<number | string, HashSubtable<Megaflow>[]>>;
  /** As `changes.program` was when they were made. */
  programGeneration: number;
  count: number;
  /** What packets found, how often none was there, and why none could be made. */
  readonly stats: { hit: number; missed: number; readonly uncached: Map<string, number> };
}

/** When there are so many, all are forgotten. */
const maxMegaflows = 8192;

export function emptyMegaflowCache(): Megaflows {
  return {
    subtables: new Map(),
    programGeneration: 0,
    count: 0,
    stats: { hit: 0, missed: 0, uncached: new Map() },
  };
}

/** What of a node megaflows depend on. */
interface MegaflowClock {
  readonly generations: Generations;
  /** Virtual time in ms. */
  readonly nowMs: number;
}

/**
 * The one that the packet belongs to. What depends on changes that have come since is not found.
 */
export function findMegaflow(
  megaflows: Megaflows,
  { generations: { program, learned }, nowMs }: MegaflowClock,
  { bridge, table }: MegaflowTable,
  key: FlowKey,
): Megaflow | undefined {
  if (megaflows.programGeneration !== program) flushMegaflows(megaflows, program);
  const tuples = megaflows.subtables.get(bridge)?.get(table);
  if (tuples === undefined) return undefined;
  for (const tuple of tuples) {
    const found = bucketFor(tuple, key)?.items[0];
    if (
      found !== undefined &&
      !found.excludedInPorts.includes(key[word.inPort] ?? 0) &&
      (found.learned === undefined ||
        (found.learned.changes === learned && found.learned.ms === nowMs))
    )
      return found;
  }
  return undefined;
}

function flushMegaflows(megaflows: Megaflows, program: number): void {
  megaflows.subtables.clear();
  megaflows.programGeneration = program;
  megaflows.count = 0;
}

/** Keeps what was recorded, in the place of what was kept for the same bits. */
export function installMegaflow(
  megaflows: Megaflows,
  { generations: { program, learned }, nowMs }: MegaflowClock,
  start: MegaflowTable,
  draft: MegaflowDraft,
  steps: readonly TraceStep[],
): void {
  if (megaflows.programGeneration !== program || megaflows.count >= maxMegaflows)
    flushMegaflows(megaflows, program);
  const made: Megaflow = {
    excludedInPorts: draft.excludedInPorts,
    steps,
    credited: draft.credited,
    events: megaflowEvents(draft),
    ...(draft.dependsOn === 'on flows' ? {} : { learned: { changes: learned, ms: nowMs } }),
  };
  const tuple = subtableFor(megaflows, start, draft.wildcards);
  const values = valuesOf(tuple, draft.key);
  const bucket = bucketWith(tuple, values);
  if (bucket !== undefined) bucket.items[0] = made;
  else {
    addBucket(tuple, values, made);
    megaflows.count++;
  }
}

/** Those with the same mask, which may be none yet. */
function subtableFor(
  { subtables }: Megaflows,
  { bridge, table }: MegaflowTable,
  mask: FlowKey,
): HashSubtable<Megaflow> {
  const ofBridge = subtables.get(bridge) ?? new Map<number | string, HashSubtable<Megaflow>[]>();
  subtables.set(bridge, ofBridge);
  const tuples = ofBridge.get(table) ?? [];
  ofBridge.set(table, tuples);
  const known = tuples.find((tuple) => hasMask(tuple, mask));
  if (known !== undefined) return known;
  const there = [...mask.keys()].filter((place) => mask[place] !== 0);
  const distinctive = there.filter((place) => !rarelyDistinct.has(place));
  const places = [...distinctive, ...there.filter((place) => rarelyDistinct.has(place))];
  const made = emptyHashSubtable<Megaflow>(
    places,
    places.map((place) => (mask[place] ?? 0) | 0),
    distinctive.length,
  );
  tuples.push(made);
  return made;
}

/**
 * What is known of a packet when it goes to the tracker goes with it; its bytes show only what is
 * in them.
 */
function megaflowEvents({ key, wildcards, events }: MegaflowDraft): readonly MegaflowEvent[] {
  let [bytes, metadata] = [key, key];
  return events.map((event) => {
    if (event.kind !== 'commit' && event.kind !== 'track') return event;
    const patch = patchOf(wildcards, bytes, event.key, word.ethSrc, keyWords);
    bytes = event.key;
    if (event.kind === 'commit') return { kind: 'commit', patch };
    const known =
      event.metadata === 'initial'
        ? metadataPatch(event.key)
        : patchOf(wildcards, metadata, event.key, 0, word.ethSrc);
    metadata = event.key;
    return {
      kind: 'track',
      request: event.request,
      patch: {
        places: [...known.places, ...patch.places],
        masks: [...known.masks, ...patch.masks],
        values: [...known.values, ...patch.values],
        isOfBytes: patch.isOfBytes,
      },
    };
  });
}
