/**
 * The smallest case that still shows something: fewer steps, flows and groups, then less in each of
 * them.
 */
import { assertNever } from '../../base/errors/errors.js';
import { callOf, names, type CaseStep, type FuzzCase, type PacketStep } from '../fuzz-case.js';
import { printStep } from '../regression-case.js';
import { node, programsOf } from '../fuzz-network.js';
import { deltaDebug } from '../../search/delta-debug.js';
import { simplify } from '../../search/simplify.js';
import { simplerFlows, simplerGroups } from '../../search/simpler-flows.js';

type StillFails = (smaller: FuzzCase) => Promise<boolean>;

/**
 * @param stillFails whether a case still shows it; asked one case at a time, in an order that is
 *   always the same.
 * @param maxTries how often it is asked; what is smallest by then is taken.
 */
export async function shrink(
  whole: FuzzCase,
  stillFails: StillFails,
  maxTries = Infinity,
): Promise<FuzzCase> {
  let tries = 0;
  const stillFailsInBudget: StillFails = async (smaller) =>
    tries++ < maxTries && (await stillFails(smaller));
  for (let found = whole; ; ) {
    const smaller = await shrinkOnce(found, stillFailsInBudget);
    if (sizeOf(smaller) === sizeOf(found)) return smaller;
    found = smaller;
  }
}

function sizeOf(fuzzCase: FuzzCase): string {
  return JSON.stringify([programsOf(fuzzCase), fuzzCase.steps.map(printStep)]);
}

async function shrinkOnce(whole: FuzzCase, stillFails: StillFails): Promise<FuzzCase> {
  let found = whole;
  found = {
    ...found,
    steps: await deltaDebug(found.steps, (steps) => stillFails({ ...found, steps })),
  };
  found = {
    ...found,
    beyond: await deltaDebug(found.beyond, (beyond) => stillFails({ ...found, beyond })),
  };
  if (found.underlay !== undefined)
    found = await shrinkElsewhere(found, found.underlay, stillFails);
  found = {
    ...found,
    flows: await deltaDebug(found.flows, (flows) => stillFails({ ...found, flows })),
  };
  found = {
    ...found,
    groups: await deltaDebug(found.groups, (groups) => stillFails({ ...found, groups })),
  };
  found = {
    ...found,
    flows: await simplify(found.flows, lessOfFlow, (flows) => stillFails({ ...found, flows })),
  };
  found = {
    ...found,
    beyond: await simplify(found.beyond, lessOfFlow, (beyond) => stillFails({ ...found, beyond })),
  };
  found = {
    ...found,
    groups: await simplify(found.groups, lessOfGroup, (groups) => stillFails({ ...found, groups })),
  };
  return {
    ...found,
    steps: await simplify(found.steps, simplerSteps, (steps) => stillFails({ ...found, steps })),
  };
}

/** Without the other node where it takes no part in it. */
async function shrinkElsewhere(
  whole: FuzzCase,
  underlay: readonly string[],
  stillFails: StillFails,
): Promise<FuzzCase> {
  const { groups, flows, beyond, afar = [] } = whole;
  const near: FuzzCase = { groups, flows, beyond, steps: whole.steps.filter(isNear) };
  if (await stillFails(near)) return near;
  const found = {
    ...whole,
    afar: await deltaDebug(afar, (fewerAfar) => stillFails({ ...whole, afar: fewerAfar })),
  };
  return {
    ...found,
    underlay: await deltaDebug(underlay, (fewerUnderlay) =>
      stillFails({ ...found, underlay: fewerUnderlay }),
    ),
  };
}

function isNear(step: CaseStep): boolean {
  return callOf(step).node === node;
}

const lessOfFlow = (text: string) => simplerFlows(text, names);
const lessOfGroup = (text: string) => simplerGroups(text, names);

const headerLength = 14;

function simplerSteps(step: CaseStep): readonly CaseStep[] {
  switch (step.kind) {
    case 'packet':
      return simplerPackets(step);
    case 'advance':
      return step.ms <= 1
        ? []
        : [...new Set([1, Math.ceil(step.ms / 2), step.ms - 1])].map((ms) => ({ ...step, ms }));
    case 'change':
      return step.lines.flatMap((line, index) =>
        simplerChanges(line).map((simpler) => ({
          ...step,
          lines: step.lines.with(index, simpler),
        })),
      );
    case 'link':
    case 'flush':
      return [];
    default:
      return assertNever(step);
  }
}

/** A flow that is added with less in it. */
function simplerChanges(line: string): readonly string[] {
  const [, flow] = /^flow add (.*)$/.exec(line) ?? [];
  return flow === undefined ? [] : lessOfFlow(flow).map((simpler) => `flow add ${simpler}`);
}

/**
 * Shorter, from half of what follows the Ethernet header to one byte less; then with a byte of
 * zeros more.
 */
function simplerPackets(step: PacketStep): readonly PacketStep[] {
  const { frame } = step;
  const rest = frame.length - headerLength;
  const lengths =
    rest <= 0 ? [] : [...new Set([Math.floor(rest / 2), Math.floor((rest * 7) / 8), rest - 1])];
  const zeroed = [...frame.keys()]
    .filter((index) => frame[index] !== 0)
    .map((index) => ({ ...step, frame: frame.with(index, 0) }));
  return [
    ...(step.port === '1' ? [] : [{ ...step, port: '1' }]),
    ...lengths.map((length) => ({ ...step, frame: frame.slice(0, headerLength + length) })),
    ...zeroed,
  ];
}
