/** Which steps of a case can be played, and which packets at once. */
import { InputError, Unpredictable, Unsupported } from '../base/errors/errors.js';
import type { SwitchCall, SwitchStep } from '../domain/switching.js';
import { extract } from '../packet/flow-key/extract/extract.js';
import {
  bottomOfStack,
  isIp,
  isMpls,
  keyWords,
  most,
  word,
  type FlowKey,
} from '../packet/flow-key/flow-key.js';
import { firstCandidateOracle } from '../model/ambiguity.js';
import type { ModelTestbed } from '../testbeds/model/model-testbed.js';
import { callOf, type CaseStep, type FuzzCase, type PacketStep } from './fuzz-case.js';
import { performedBy, planOf, textsOf } from './fuzz-network.js';
import { performCall } from './perform-call.js';

/** A step, or packets that go in at one port, one behind the other. */
export interface StepRun {
  readonly indices: readonly number[];
  readonly call: SwitchCall;
  /** Whether nothing may be cached before it, and nothing of it may stay. */
  readonly cache: 'kept' | 'emptied';
}

export interface RunPlan {
  readonly runs: readonly StepRun[];
  /** The others, by index. */
  readonly skipped: ReadonlyMap<number, SkippedStep>;
}

/**
 * A step that is not compared: because the model does not know its result, or because that is
 * nondeterministic.
 */
export interface SkippedStep {
  readonly kind: 'not modelled' | 'nondeterministic';
  readonly why: string;
}

/**
 * Copies that a port's socket takes before it is read; more are lost in the dummy port's queue.
 * What a switch drops there it counts as sent, so that quiet would never come. A controller's queue
 * takes no more than 100, either.
 */
const maxCopies = 60;
const maxPacketsPerRun = 8;

/** What a controller lets go on comes behind all that went in. */
const pausesPackets = /pause/;
/** The datapath looks up all packets of a batch before it continues with any of them. */
const usesConntrack = /\bct\(/;
/**
 * What NORMAL learns, and flows that come and go, change what is cached only some time later. An
 * entry of a label stack is written as a whole, with the parts that the packet had which is cached
 * (lib/odp-util.c, commit_mpls_action). A field that is sent to is not unwildcarded where it holds
 * more than the number of a port: its megaflow drops packets with other values
 * (ofproto-dpif-xlate.c, xlate_output_reg_action).
 */
function isCachedUnreliably(text: string): boolean {
  return (
    /NORMAL|learn\(|_timeout=|mpls_(label|tc|ttl)|MPLS_(LABEL|TC|TTL)/.test(text) ||
    [...text.matchAll(/\boutput:\w+\[(?:(\d+)\.\.(\d+))?\]/g)].some(
      ([, first, last]) => last === undefined || Number(last) - Number(first) >= portBits,
    )
  );
}

const portBits = 16;

/**
 * Packets that go by what is cached for others, and others by what is cached for them, where a case
 * has such actions.
 */
const cacheExceptions: readonly {
  readonly action: RegExp;
  readonly isMeant: (key: FlowKey) => boolean;
}[] = [
  // What the hash of addresses and ports chooses for packets without them, by their MAC addresses,
  // is cached for all MAC addresses (lib/flow.c, flow_mask_hash_fields).
  { action: /symmetric_l3l4/, isMeant: (key) => !isIp(key[word.ethType] ?? 0) },
  // They count labels, and where none is the last of its stack, the megaflow does not show how many
  // there were (lib/flow.c, flow_count_mpls_labels).
  { action: /(push|pop)_mpls/, isMeant: hasNoBottomOfStack },
  // They write IP, which is left alone without a protocol; megaflows of other protocols do not
  // match it (lib/odp-util.c, commit_set_nw_action).
  {
    action: /(->|pop:)(NXM_[A-Z]+_|OXM_OF_)?(IP|TCP|UDP|SCTP|ICMP|ND_|nw_)|dec_ttl/i,
    isMeant: (key) => isIp(key[word.ethType] ?? 0) && key[word.nwProto] === 0,
  },
];

/** Whether a step runs alone, with nothing in the cache before it and behind it. */
function cacheFor(programs: FuzzCase): (step: CaseStep) => StepRun['cache'] {
  const texts = textsOf(programs);
  if (texts.some(isCachedUnreliably)) return () => 'emptied';
  const kinds = cacheExceptions.filter(({ action }) => texts.some((text) => action.test(text)));
  return (step) => {
    if (step.kind !== 'packet' || kinds.length === 0) return 'kept';
    const key = keyOfFrame(step.frame);
    return kinds.some(({ isMeant }) => isMeant(key)) ? 'emptied' : 'kept';
  };
}

function keyOfFrame(frame: Uint8Array): FlowKey {
  const key = new Uint32Array(keyWords);
  extract(frame, key);
  return key;
}

function hasNoBottomOfStack(key: FlowKey): boolean {
  return (
    isMpls(key[word.ethType] ?? 0) &&
    Array.from({ length: most.labels }, (_, index) => key[word.mplsLse + index] ?? 0).every(
      (entry) => (entry & bottomOfStack) === 0,
    )
  );
}

/**
 * @param openModel gives fresh ones: they show in advance which steps they cannot predict, or whose
 *   frames come out too often to be seen. What is left out has not happened to those behind it.
 */
export async function planRuns(
  openModel: () => ModelTestbed,
  fuzzCase: FuzzCase,
  how: 'in runs' | 'one by one',
): Promise<RunPlan> {
  const skipped = new Map<number, SkippedStep>();
  const copies = new Map<number, number>();
  const plan = planOf(fuzzCase);
  /** Undefined where the model refuses a change: the switch must refuse it as well. */
  const copiesOf = async (model: ModelTestbed, step: CaseStep): Promise<number | undefined> => {
    try {
      return maxCopiesPerPort(
        await performCall(
          callOf(step),
          plan,
          performedBy({ call: (calls) => model.call(calls, firstCandidateOracle) }),
        ),
      );
    } catch (error) {
      if (error instanceof InputError && step.kind === 'change') return undefined;
      throw error;
    }
  };
  const skip = async (index: number, why: SkippedStep): Promise<ModelTestbed> => {
    skipped.set(index, why);
    const fresh = openModel();
    for (const [earlier, step] of fuzzCase.steps.slice(0, index).entries())
      if (!skipped.has(earlier)) await copiesOf(fresh, step);
    return fresh;
  };
  let model = openModel();
  for (const [index, step] of fuzzCase.steps.entries()) {
    const found = await copiesOf(model, step).catch(whyUnknown);
    if (typeof found === 'object') model = await skip(index, found);
    else if ((found ?? 0) > maxCopies)
      model = await skip(index, {
        kind: 'nondeterministic',
        why: `more than ${maxCopies} copies come out of one port or to one controller`,
      });
    else copies.set(index, found ?? 0);
  }
  const isSingle =
    how === 'one by one' ||
    textsOf(fuzzCase).some((text) => pausesPackets.test(text) || usesConntrack.test(text));
  const steps = [...fuzzCase.steps.entries()].filter(([index]) => !skipped.has(index));
  return {
    skipped,
    runs: groupIntoRuns(steps, copies, isSingle ? 1 : maxPacketsPerRun, cacheFor(fuzzCase)),
  };
}

/** Packets into one port that follow upon one another, `most` at once. */
function groupIntoRuns(
  steps: readonly (readonly [index: number, step: CaseStep])[],
  copies: ReadonlyMap<number, number>,
  most: number,
  cacheOf: (step: CaseStep) => StepRun['cache'],
): readonly StepRun[] {
  const runs: {
    readonly indices: number[];
    readonly first: CaseStep;
    readonly more: PacketStep[];
    copies: number;
    readonly cache: StepRun['cache'];
  }[] = [];
  for (const [index, step] of steps) {
    const [last, coming, cache] = [runs.at(-1), copies.get(index) ?? 0, cacheOf(step)];
    const fits =
      last?.first.kind === 'packet' &&
      step.kind === 'packet' &&
      last.first.port === step.port &&
      last.cache === 'kept' &&
      cache === 'kept' &&
      last.indices.length < most &&
      last.copies + coming <= maxCopies;
    if (fits) {
      last.indices.push(index);
      last.more.push(step);
      last.copies += coming;
    } else runs.push({ indices: [index], first: step, more: [], copies: coming, cache });
  }
  return runs.map(({ indices, first, more, cache }) => ({
    indices,
    call: callOf(first, more),
    cache,
  }));
}

/** What the model does not predict, without where it was. @throws what is no such thing. */
export function whyUnknown(error: unknown): SkippedStep {
  if (!(error instanceof Unsupported)) throw error;
  return {
    kind: error instanceof Unpredictable ? 'nondeterministic' : 'not modelled',
    why: error.message.replace(/, at a frame into .*/s, ''),
  };
}

/** Frames at one port, or packet-ins at one controller, whichever are more. */
function maxCopiesPerPort({ outputs, packetIns = [] }: SwitchStep): number {
  const copies = new Map<string, number>();
  const places = [
    ...outputs.map(({ port }) => port),
    ...packetIns.map(({ bridge, controller }) => `controller ${controller} of ${bridge}`),
  ];
  for (const place of places) copies.set(place, (copies.get(place) ?? 0) + 1);
  return Math.max(0, ...copies.values());
}
