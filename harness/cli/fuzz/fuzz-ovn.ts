/**
 * `flowbed fuzz ovn`: random northbound content through OVN, the model, real switches, ovn-trace,
 * and OVN once more from scratch.
 */
import { openImage } from '../../../images/images.js';
import {
  contentAsJson,
  renderContent,
  type ImageContent,
} from '../../../reports/render-content.js';
import { contentNetwork, drawOvnContent } from '../../../topologies/generated/draw-ovn-content.js';
import { attempt } from '../../base/errors/outcome.js';
import { ovn } from '../../control/ovn/index.js';
import { withContent } from '../../control/ovn/with-content.js';
import type { ContentCase } from '../../fuzz/ovn/content-case.js';
import { runContent } from '../../fuzz/ovn/run-content.js';
import { defaultBackend } from '../../testbeds/registry.js';
import { exitCodes, type Context } from '../context.js';
import { imageNames, refuseFreeze, wholeNumber, type FuzzOptions } from './fuzz.js';

/**
 * @returns 0 when all agree in all, 1 when they diverge, 3 when an image has no OVN, or the model
 *   refused something. @throws InputError for a wrong request.
 */
export async function fuzzOvn(context: Context, options: FuzzOptions): Promise<number> {
  refuseFreeze(options, 'ovn');
  const seed = wholeNumber('seed', options.seed);
  const only = options.case === undefined ? undefined : wholeNumber('case', options.case);
  const count = only === undefined ? wholeNumber('count', options.count) : 1;
  const results: ImageContent[] = [];
  let code: number = exitCodes.conforms;
  for (const name of imageNames(options)) {
    const outcome = await attempt(() => playOnImage(context, name, seed, count, only ?? 0));
    if (outcome.kind === 'unavailable') {
      context.print(
        [`? ${name}: ${outcome.cause.message}`, ...outcome.cause.evidence].join('\n    '),
      );
      code = Math.max(code, exitCodes.inconclusive);
      continue;
    }
    results.push(outcome.value);
    if (outcome.value.result.refused.size > 0) code = Math.max(code, exitCodes.inconclusive);
    if (options.json !== true) context.print(renderContent(outcome.value));
  }
  if (options.json === true) context.print(contentAsJson(seed, results));
  return results.some(({ result }) => result.findings.length > 0) ? exitCodes.diverges : code;
}

async function playOnImage(
  context: Context,
  name: string,
  seed: number,
  count: number,
  first: number,
): Promise<ImageContent> {
  const image = await openImage(name, context.say);
  const plan = ovn().plan(contentNetwork);
  const real = await defaultBackend.open(plan, image, { teardown: context.teardown });
  try {
    const version = real.versions['ovn-northd'] ?? '';
    let played = 0;
    const result = await runContent(
      { real, version, plan: real.compiled ?? plan },
      {
        seed,
        count,
        first,
        draw: (index) => caseOf(seed, index),
        onPlayed: ({ differences }) => {
          played++;
          if (played % 10 === 0 || differences.length > 0)
            context.say(`${name}: ${played} of ${count} cases`);
        },
      },
    );
    return { image: `${name} ${version}`.trim(), result };
  } finally {
    await real.close();
  }
}

function caseOf(seed: number, index: number): ContentCase {
  const { content, stimuli } = drawOvnContent(seed, index);
  return {
    index,
    stimuli,
    plan: (before) => withContent(ovn().plan(contentNetwork, before), content),
    kinds: content.rows.map(({ table, columns: { action } }) =>
      typeof action === 'string' ? `${table} ${action}` : table,
    ),
  };
}
