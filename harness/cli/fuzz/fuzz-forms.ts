/**
 * `flowbed fuzz forms`: random bridges, dumped in every form that ovs-ofctl has, through the
 * reader, the model, and switches that are built from the dumps.
 */
import { openImage } from '../../../images/images.js';
import { formsAsJson, renderForms, type ImageForms } from '../../../reports/render-forms.js';
import { attempt } from '../../base/errors/outcome.js';
import { runForms } from '../../fuzz/forms/run-forms.js';
import { defaultBackend } from '../../testbeds/registry.js';
import { exitCodes, type Context } from '../context.js';
import { imageNames, wholeNumber, type FuzzOptions } from './fuzz.js';

/**
 * @returns 0 when all that was printed is read and played alike, 1 when something is not, 3 when an
 *   image has no switches. @throws InputError for a wrong request.
 */
export async function fuzzForms(context: Context, options: FuzzOptions): Promise<number> {
  const seed = wholeNumber('seed', options.seed);
  const only = options.case === undefined ? undefined : wholeNumber('case', options.case);
  const count = only === undefined ? wholeNumber('count', options.count) : 1;
  const results: ImageForms[] = [];
  let code: number = exitCodes.conforms;
  for (const name of imageNames(options)) {
    const outcome = await attempt(async () => {
      const image = await openImage(name, context.say);
      let version = '';
      const result = await runForms({
        seed,
        count,
        first: only ?? 0,
        open: async (plan) => {
          const { teardown } = context;
          const sim = await defaultBackend.open({ nodes: [plan] }, image, { teardown });
          version = sim.versions['ovs-vswitchd'] ?? '';
          return sim;
        },
        onProgress: (played) => {
          if (played % 20 === 0) context.say(`${name}: ${played} of ${count} bridges`);
        },
      });
      return { image: `${name} ${version}`.trim(), result };
    });
    if (outcome.kind === 'unavailable') {
      context.print(`? ${name}: ${outcome.cause.message}`);
      code = Math.max(code, exitCodes.inconclusive);
      continue;
    }
    results.push(outcome.value);
    if (options.json !== true) context.print(renderForms(outcome.value));
  }
  if (options.json === true) context.print(formsAsJson(seed, results));
  return results.some(({ result }) => result.findings.length > 0) ? exitCodes.diverges : code;
}
