/**
 * Case after case of one seed through model and switch, until there were packets enough or
 * differences enough.
 */
import { Unavailable } from '../base/errors/errors.js';
import { attempt } from '../base/errors/outcome.js';
import { noCoverage, addCoverage, type Coverage } from './coverage/coverage.js';
import type { FuzzCase } from './fuzz-case.js';
import type { Behaviour } from '../model/behaviour.js';
import type { FuzzFinding } from './fuzz-finding.js';
import { judgeCase } from './judge-case.js';
import { type CaseJudgement, type Sides } from './case-judgement.js';
import { roundRobin } from './round-robin.js';
import { readCase } from './read-case.js';
import { shrink } from './shrink/shrink.js';

export interface Campaign {
  /** Case `index` of a seed. */
  readonly draw: (seed: number, index: number, behaviour: Behaviour) => FuzzCase;
  readonly seed: number;
  /** Packets that are to go through both. */
  readonly count: number;
  /** Called now and then: packets so far. */
  readonly onProgress: (sent: number, doing: string) => void;
  /** How often a case is tried smaller: as often as it takes, where nothing is said. */
  readonly shrinkTriesMax?: number;
  /** So many cases there are at most. */
  readonly casesMax?: number;
}

export interface Finding {
  /** Its number in the seed. */
  readonly index: number;
  /** The smallest case that still differs in the same, and where it does. */
  readonly smallest: FuzzCase;
  readonly differences: readonly FuzzFinding[];
}

export interface CampaignResult {
  readonly cases: number;
  readonly sent: number;
  readonly frames: number;
  readonly counters: number;
  /** Flows and groups that both refuse, by what the switch says. */
  readonly refused: ReadonlyMap<string, number>;
  /**
   * Steps that were not compared: by what the model does not know, and by what is nondeterministic
   * of a real switch.
   */
  readonly unknown: ReadonlyMap<string, number>;
  readonly unseen: ReadonlyMap<string, number>;
  readonly coverage: Coverage;
  readonly findings: readonly Finding[];
  /** Why it ended before its time: a switch failed. What ran before stands. */
  readonly gone?: Unavailable;
}

/** After as many the rest may well be the same again. */
export const maxFindings = 5;
/**
 * Cases after which none was fit to be played: then the switch refuses all, or the model knows
 * nothing.
 */
const maxCasesPerPacket = 20;

/** @param workers switches of one version: cases are dealt out to them in turn. */
export async function runCampaign(
  workers: readonly Sides[],
  { draw, seed, count, onProgress, shrinkTriesMax = Infinity, casesMax = Infinity }: Campaign,
): Promise<CampaignResult> {
  const [refused, unknown, unseen] = [
    new Map<string, number>(),
    new Map<string, number>(),
    new Map<string, number>(),
  ];
  const [coverage, findings] = [noCoverage(), [] as Finding[]];
  const total = { cases: 0, sent: 0, frames: 0, counters: 0 };
  const isOver = () =>
    total.sent >= count ||
    findings.length >= maxFindings ||
    total.cases >= Math.min(casesMax, maxCasesPerPacket * count);
  if (isOver()) return { ...total, refused, unknown, unseen, coverage, findings };
  const played = roundRobin(workers, async (sides, index): Promise<PlayedCase> => {
    const fuzzCase = draw(seed, index, sides.behaviour);
    const judged = await attempt(() => judgeCase(sides, fuzzCase));
    if (judged.kind === 'unavailable') throw withContext(`in case ${index}`, judged.cause);
    const judgement = judged.value;
    const { accepted } = readCase(fuzzCase, sides.behaviour);
    if (judgement.differences.length === 0) return { accepted, judgement };
    const onTry = (tries: number) => {
      if (tries % triesBetweenWords === 0)
        onProgress(total.sent, `shrinking case ${index}, ${tries} tries`);
    };
    onTry(0);
    const shrunk = await attempt(() =>
      shrinkFinding(sides, fuzzCase, judgement, { onTry, triesMax: shrinkTriesMax }),
    );
    if (shrunk.kind === 'ok') return { accepted, judgement, finding: { index, ...shrunk.value } };
    return {
      accepted,
      judgement,
      finding: { index, smallest: fuzzCase, differences: judgement.differences },
      gone: withContext(`while case ${index} was shrunk`, shrunk.cause),
    };
  });
  const collectAll = async (): Promise<Unavailable | undefined> => {
    for await (const { accepted, judgement, finding, gone } of played) {
      total.cases++;
      total.sent += judgement.compared.sent;
      total.frames += judgement.compared.frames;
      total.counters += judgement.compared.counters;
      for (const why of judgement.refused) addOne(refused, withoutNumbers(why));
      for (const { kind, why } of judgement.skipped)
        addOne(kind === 'not modelled' ? unknown : unseen, withoutNumbers(why));
      addCoverage(coverage, accepted, judgement.played, judgement.counts);
      if (finding !== undefined) findings.push(finding);
      if (gone !== undefined || isOver()) return gone;
      onProgress(total.sent, 'playing');
    }
    return undefined;
  };
  onProgress(total.sent, 'playing');
  const taken = await attempt(collectAll);
  const gone = taken.kind === 'ok' ? taken.value : taken.cause;
  return {
    ...total,
    refused,
    unknown,
    unseen,
    coverage,
    findings,
    ...(gone === undefined ? {} : { gone }),
  };
}

/** A case as both took it, and what differs where something does. */
interface PlayedCase {
  readonly accepted: FuzzCase;
  readonly judgement: CaseJudgement;
  readonly finding?: Finding;
  /** A switch failed while the finding was shrunk. */
  readonly gone?: Unavailable;
}

function withContext(what: string, { message, remedies, evidence }: Unavailable): Unavailable {
  return new Unavailable(`${what}: ${message}`, remedies, evidence);
}

/** Each try in which a switch dies needs another switch. */
const maxTriesWithCrashes = 150;

/** A guest that says nothing for long counts as hung. */
const triesBetweenWords = 50;

export interface Shrinking {
  readonly onTry?: (tries: number) => void;
  readonly triesMax?: number;
}

/**
 * The smallest case that differs in the same aspect; where a switch dies, shrunk as far as possible
 * in so many tries. Where nothing differs in it any more, since it hangs on what the switch has
 * been through, the whole one as it was seen.
 */
export async function shrinkFinding(
  sides: Sides,
  fuzzCase: FuzzCase,
  { differences }: CaseJudgement,
  { onTry, triesMax = Infinity }: Shrinking = {},
): Promise<Omit<Finding, 'index'>> {
  const aspect = differences[0]?.aspect;
  let tries = 0;
  const smallest = await shrink(
    fuzzCase,
    async (smaller) => {
      onTry?.(++tries);
      return (await judgeCase(sides, smaller)).differences.some(
        (difference) => difference.aspect === aspect,
      );
    },
    aspect === 'crash' ? Math.min(maxTriesWithCrashes, triesMax) : triesMax,
  );
  const again = await judgeCase(sides, smallest);
  return again.differences.length > 0
    ? { smallest, differences: again.differences }
    : { smallest: fuzzCase, differences };
}

function addOne(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

/**
 * Without numbers and what follows from them, and without the bytes of messages that are refused,
 * so that like is counted with like.
 */
function withoutNumbers(why: string): string {
  return why.replace(/ (of|at) table=.*| for: OFPT_.*/s, '').replace(/0x[0-9a-f]+|\d+/g, 'N');
}
