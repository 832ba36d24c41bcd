/**
 * `flowbed openflow-conformance`: the OpenFlow 1.3 conformance cases on real switches and on the
 * model.
 */
import { openImage } from '../../images/images.js';
import {
  conformanceAsJson,
  renderOpenflowConformance,
  type OpenflowConformanceRun,
} from '../../reports/render-openflow-conformance.js';
import { InputError } from '../base/errors/errors.js';
import { attempt } from '../base/errors/outcome.js';
import { readCorpus, type Case } from '../openflow-conformance/corpus.js';
import { playCase, type CaseResult } from '../openflow-conformance/play-case.js';
import { emptyProgram, planOf } from '../openflow-conformance/program.js';
import { defaultBackend } from '../testbeds/registry.js';
import { exitCodes, type Context } from './context.js';

export interface OpenflowConformanceOptions {
  readonly image: string;
  readonly json?: boolean;
}

/**
 * @param patterns parts of names of cases; none: all.
 * @returns 0 when every switch does what the corpus expects, or otherwise for a known reason, and
 *   the model the same; 1 when one does not; 3 when the model does not know a case, or a switch
 *   fails.
 * @throws InputError when no case has such a name.
 */
export async function openflowConformance(
  context: Context,
  patterns: readonly string[],
  { image: images, json }: OpenflowConformanceOptions,
): Promise<number> {
  const cases = readCorpus().filter(
    ({ name }) => patterns.length === 0 || patterns.some((pattern) => name.includes(pattern)),
  );
  if (cases.length === 0)
    throw new InputError(
      `no case has ${patterns.map((pattern) => `"${pattern}"`).join(' or ')} in its name; ` +
        'names are such as match/06_VLAN_VID, action/, group/00_ALL 1',
    );
  const runs: OpenflowConformanceRun[] = [];
  const codes: number[] = [];
  for (const name of images.split(',')) {
    const outcome = await attempt(async () => runCases(context, name, cases));
    if (outcome.kind === 'ok') runs.push(outcome.value);
    else context.say(`${name}: ${outcome.cause.message}`);
    codes.push(outcome.kind === 'ok' ? exitCodeOf(outcome.value.results) : exitCodes.inconclusive);
  }
  context.print(
    json === true ? conformanceAsJson(runs) : runs.map(renderOpenflowConformance).join('\n\n'),
  );
  return codes.includes(exitCodes.diverges) ? exitCodes.diverges : Math.max(...codes);
}

async function runCases(
  context: Context,
  name: string,
  cases: readonly Case[],
): Promise<OpenflowConformanceRun> {
  const image = await openImage(name, context.say);
  const sim = await defaultBackend.open({ nodes: [planOf(emptyProgram)] }, image, {
    teardown: context.teardown,
  });
  try {
    const results: CaseResult[] = [];
    let file = '';
    for (const [index, played] of cases.entries()) {
      const [next = ''] = played.name.split(' ');
      if (next !== file) context.say(`${name}: case ${index + 1} of ${cases.length}, ${next}`);
      file = next;
      results.push(await playCase(sim, played));
    }
    return { image: name, version: sim.versions['ovs-vswitchd'] ?? '', results };
  } finally {
    await sim.close();
  }
}

function exitCodeOf(results: readonly CaseResult[]): number {
  if (
    results.some(
      ({ switch: real, model }) =>
        (real.kind === 'unexpected' && real.why === undefined) || model.kind === 'differs',
    )
  )
    return exitCodes.diverges;
  return results.some(({ model }) => model.kind === 'unknown')
    ? exitCodes.inconclusive
    : exitCodes.conforms;
}
