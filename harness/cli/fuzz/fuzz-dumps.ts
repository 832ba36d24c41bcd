/**
 * `flowbed fuzz dumps`: random dumps of a bridge through the reader, the model, and real switches
 * that are built from them.
 */
import { readFile } from 'node:fs/promises';
import { openImage } from '../../../images/images.js';
import { dumpsAsJson, renderDumps, type ImageDumps } from '../../../reports/render-dumps.js';
import { attempt } from '../../base/errors/outcome.js';
import { schemaColumns } from '../../fuzz/dumps/schema-columns.js';
import { runDumps } from '../../fuzz/dumps/run-dumps.js';
import { defaultBackend } from '../../testbeds/registry.js';
import { freezeDumps } from './freeze-dumps.js';
import { exitCodes, type Context } from '../context.js';
import { imageNames, wholeNumber, type FuzzOptions } from './fuzz.js';

/**
 * @returns 0 when reader, model and switches agree in all, 1 when they diverge, 3 when an image has
 *   no switches. @throws InputError for a wrong request.
 */
export async function fuzzDumps(context: Context, options: FuzzOptions): Promise<number> {
  const seed = wholeNumber('seed', options.seed);
  const only = options.case === undefined ? undefined : wholeNumber('case', options.case);
  const count = only === undefined ? wholeNumber('count', options.count) : 1;
  const results: ImageDumps[] = [];
  let code: number = exitCodes.conforms;
  for (const name of imageNames(options)) {
    const outcome = await attempt(async () => {
      const image = await openImage(name, context.say);
      let version = '';
      const result = await runDumps({
        seed,
        count,
        first: only ?? 0,
        schema: schemaColumns(await readFile(image.schema('vswitch.ovsschema'), 'utf8')),
        open: async (plan) => {
          const sim = await defaultBackend.open({ nodes: [plan] }, image, {
            teardown: context.teardown,
          });
          version = sim.versions['ovs-vswitchd'] ?? '';
          return sim;
        },
        onProgress: (played) => {
          if (played % 20 === 0) context.say(`${name}: ${played} of ${count} dumps`);
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
    if (options.json !== true) context.print(renderDumps(outcome.value));
    if (options.freeze !== undefined)
      await freezeDumps(context, options.freeze, seed, outcome.value);
  }
  if (options.json === true) context.print(dumpsAsJson(seed, results));
  return results.some(({ result }) => result.findings.length > 0) ? exitCodes.diverges : code;
}
