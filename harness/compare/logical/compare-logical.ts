/**
 * OpenFlow against OVN's own ovn-trace(8), packet by packet: the logical flows that it met, and the
 * ports that it came out of.
 */
import { assert } from '../../base/errors/errors.js';
import type { ClusterPlan } from '../../domain/plan/cluster-plan.js';
import type { LogicalPacket, LogicalTrace, Supposition } from '../../domain/logical-trace.js';
import type { FlowId } from '../../domain/switching.js';
import type { Count, Difference } from '../../domain/verdict.js';
import { describeFrame } from '../../packet/dissect/describe-frame.js';
import { boundPorts } from './bound-ports.js';
import type { LogicalPassage } from './logical-passages.js';

export interface LogicalComparison {
  readonly differences: readonly Difference[];
  readonly count: Count;
  /** How ovn-trace ended itself, of each packet at which it did. */
  readonly crashes: readonly string[];
  /** What a difference stood behind, of each packet that was skipped for it. */
  readonly supposed: readonly string[];
}

type SourceOf = (flow: FlowId) => string | undefined;

/** What ovn-trace is asked. @param sourceOf what a flow of a bridge was compiled from. */
export function logicalPackets(
  passages: readonly LogicalPassage[],
  sourceOf: SourceOf,
): readonly LogicalPacket[] {
  return passages.map((passage) => ({
    ...passage,
    ...answersOf(passage, sourceOf),
    ctStates: passage.tracked.map(({ state }) => state),
    mark: passage.tracked[0]?.mark ?? 0,
  }));
}

/**
 * @param sourceOf what a flow of a bridge was compiled from.
 * @param traces what ovn-trace says, one a passage. A difference behind what it has to suppose is
 *   none, and skipped; so is a packet at which it ends itself.
 */
export function compareLogical(
  plan: ClusterPlan,
  passages: readonly LogicalPassage[],
  traces: readonly LogicalTrace[],
  sourceOf: SourceOf,
): LogicalComparison {
  const differences: Difference[] = [];
  const [crashes, supposed]: [string[], string[]] = [[], []];
  for (const [index, passage] of passages.entries()) {
    const said = traces[index];
    assert(said !== undefined, 'ovn-trace says something of each passage');
    if (said.crash !== undefined) {
      crashes.push(said.crash);
      continue;
    }
    const found = differencesOf(plan, passage, said, sourceOf);
    if ('behind' in found) supposed.push(found.behind);
    else differences.push(...found);
  }
  const skipped = supposed.length + crashes.length;
  return {
    differences,
    count: { expected: passages.length, made: passages.length - skipped, skipped },
    crashes,
    supposed,
  };
}

function answersOf(
  { tracked }: LogicalPassage,
  sourceOf: SourceOf,
): Pick<LogicalPacket, 'ctState' | 'ctMark'> {
  const answers = new Map<string, LogicalPassage['tracked'][number][]>();
  for (const one of tracked) {
    const source = sourceOf(one.flow);
    if (source !== undefined) answers.set(source, [...(answers.get(source) ?? []), one]);
  }
  return {
    ctState: (flow, nth) => answers.get(flow)?.[nth]?.state,
    ctMark: (flow, nth) => answers.get(flow)?.[nth]?.mark,
  };
}

function differencesOf(
  plan: ClusterPlan,
  passage: LogicalPassage,
  said: LogicalTrace,
  sourceOf: SourceOf,
): readonly Difference[] | { readonly behind: string } {
  const met = passage.flows.flatMap((flow) => {
    const source = sourceOf(flow);
    return source === undefined || !isLogicalFlow(source) ? [] : [{ flow, source }];
  });
  const ports = new Set(boundPorts(plan).values());
  // A port that is bound at two chassis gets a copy at each; for ovn-trace it is one.
  const outputs = (all: readonly string[]) =>
    [...new Set(all.filter((port) => ports.has(port)))].toSorted().join(' and ');
  const [seen, wanted] = [outputs(passage.outputs), outputs(said.outputs)];
  const effectOf = (source: string) => said.effects.get(source) ?? source;
  const done = new Set(met.map(({ source }) => effectOf(source)));
  const missedAt = said.flows.findIndex((source) => !done.has(effectOf(source)));
  const missed = said.flows[missedAt];
  const printed = new Set(said.flows.map(effectOf));
  const isOwn = ({ source }: { readonly source: string }) =>
    !printed.has(effectOf(source)) && !onlyNext.test(effectOf(source));
  const own = met.find(isOwn);
  const draw = said.flows.find((source) => drawsOne.test(effectOf(source)));
  if (draw !== undefined) {
    const drawnAt = said.flows.indexOf(draw);
    const metAt = met.findIndex(({ source }) => effectOf(source) === effectOf(draw));
    const isBefore = (missedAt >= 0 && missedAt <= drawnAt) || met.slice(0, metAt).some(isOwn);
    if (!isBefore) return { behind: drawsByChance };
  }
  if (seen === wanted && missed === undefined && own === undefined) return [];
  const instead =
    missed === undefined ? own : met.find(({ source }) => standIn(stageOf, source, missed));
  const divergent = [missed ?? [], instead?.source ?? []].flat();
  const about = said.supposed
    .filter((one) => isAbout(one, missedAt, divergent))
    .map(({ what }) => what);
  if (about.length > 0) return { behind: [...new Set(about)].toSorted().join(' and ') };
  if (missed !== undefined && met.some(({ source }) => standIn(placeOf, source, missed)))
    return { behind: equalPriorities };
  if (missed === undefined && own !== undefined && mayContinue(said, own.source))
    return { behind: equalPriorities };
  if (own !== undefined && hairpin.test(own.source)) return { behind: ownHairpin };
  const at = instead ?? own ?? met.at(-1);
  const takes = `ovn-trace takes ${missed ?? 'no logical flow there'}`;
  return [
    {
      aspect: 'ovn-trace',
      between: 'OpenFlow and ovn-trace',
      pass: 'cold',
      summary:
        `${describeFrame(passage.frame)} into ${passage.logicalPort} comes out of ` +
        `${seen === '' ? 'no port' : seen}, by ovn-trace of ${wanted === '' ? 'no port' : wanted}; ` +
        takes,
      expected: `${seen === '' ? 'no port' : seen}: ${own?.source ?? at?.source ?? ''}`,
      actual: `${wanted === '' ? 'no port' : wanted}: ${missed ?? ''} (${said.command})`,
      ...(at === undefined ? {} : { at: { flow: at.flow, because: takes } }),
      afterDivergence: false,
    },
  ];
}

/**
 * Where a port meets itself behind a load balancer: OpenFlow learns it from the first packet
 * (ovn-sb(5), `chk_lb_hairpin_reply`), ovn-trace reads it off the address that a connection had
 * before, which `--ct` does not say.
 */
const hairpin = / ls_in_nat_hairpin priority=\d+ .*reg0\[(6|12)\] == 1/;
const ownHairpin = 'a port meets itself behind a load balancer';

/**
 * Actions for which ovn-trace draws one of several backends, or members, another each time
 * (ovn-sb(5), `ct_lb`, `select`; OVN utilities/ovn-trace.c, execute_ct_lb, execute_select). What
 * follows may be what OpenFlow does, or not.
 */
const drawsOne = /ct_lb(_mark)?\(backends=[^;)]*,|select\([^;]*,/;
const drawsByChance = 'one of several backends is drawn by chance';

const equalPriorities = 'two logical flows of one table and priority';

/** ovn-trace does not print flows that only continue with the next table. */
const onlyNext = /^\S+ \d+ \d+ next;$/;

/** Whether a flow of the same table and priority only continues: ovn-trace may have taken that. */
function mayContinue({ effects }: LogicalTrace, own: string): boolean {
  return [...effects].some(
    ([source, effect]) => onlyNext.test(effect) && standIn(placeOf, source, own),
  );
}

/**
 * @param place of the first logical flow that OpenFlow does not take; -1 where it takes all.
 * @param divergent that flow, and what OpenFlow takes in its stage.
 */
function isAbout(
  { from, to = Infinity, field }: Supposition,
  place: number,
  divergent: readonly string[],
): boolean {
  if (field !== undefined && !divergent.some((source) => matchOf(source).includes(field)))
    return false;
  return place === -1 || (place >= from && place < to);
}

function matchOf(source: string): string {
  return source.replace(/^.*? priority=\d+ /, '');
}

/** Whether two logical flows of a datapath have a place in common. */
function standIn(which: (source: string) => string, one: string, other: string): boolean {
  const names = datapathsOf(one);
  return which(one) === which(other) && datapathsOf(other).some((name) => names.includes(name));
}

function datapathsOf(source: string): readonly string[] {
  return source.replace(/ (ingress|egress) .*/, '').split('+');
}

/**
 * Table and priority: of two flows that have both in common, and that both match, either may be
 * taken (ovn-sb(5), Logical_Flow, "priority").
 */
function placeOf(source: string): string {
  return /(?:ingress|egress) \d+ \S+ priority=\d+/.exec(source)?.[0] ?? '';
}

/** `n1 ingress 4 ls_in_arp_rsp priority=50 match`, and no port, group or chassis. */
function isLogicalFlow(source: string): boolean {
  return / (ingress|egress) \d+ \S+ priority=/.test(source);
}

function stageOf(source: string): string {
  return placeOf(source).replace(/ priority=.*/, '');
}
