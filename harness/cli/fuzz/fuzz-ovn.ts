/**
 * `flowbed fuzz ovn`: random northbound content through OVN, the model, real switches, ovn-trace,
 * and OVN once more from scratch.
 */
import { mkdir, writeFile } from 'node:fs/promises';
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
import { within } from '../../base/files/path-part.js';
import { printFrozen } from '../../fuzz/ovn/frozen-content.js';
import { runContent, type ContentCampaign } from '../../fuzz/ovn/run-content.js';
import { defaultBackend } from '../../testbeds/registry.js';
import { exitCodes, type Context } from '../context.js';
import { imageNames, wholeNumber, type FuzzOptions } from './fuzz.js';

/**
 * @returns 0 when all agree in all, 1 when they diverge, 3 when an image has no OVN, or the model
 *   refused something. @throws InputError for a wrong request.
 */
export async function fuzzOvn(context: Context, options: FuzzOptions): Promise<number> {
  const seed = wholeNumber('seed', options.seed);
  const only = options.case === undefined ? undefined : wholeNumber('case', options.case);
  const count = only === undefined ? wholeNumber('count', options.count) : 1;
  const findings = options.freeze === undefined ? 'as they are' : 'shrunk';
  const results: ImageContent[] = [];
  let code: number = exitCodes.conforms;
  for (const name of imageNames(options)) {
    const outcome = await attempt(() =>
      playOnImage(context, name, { seed, count, first: only ?? 0, findings }),
    );
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
    if (options.freeze !== undefined)
      await freezeContent(context, options.freeze, seed, outcome.value);
  }
  if (options.json === true) context.print(contentAsJson(seed, results));
  return results.some(({ result }) => result.findings.length > 0) ? exitCodes.diverges : code;
}

async function playOnImage(
  context: Context,
  name: string,
  which: Omit<ContentCampaign, 'draw' | 'onPlayed'>,
): Promise<ImageContent> {
  const image = await openImage(name, context.say);
  const plan = ovn().plan(contentNetwork);
  const real = await defaultBackend.open(plan, image, { teardown: context.teardown });
  try {
    const version = real.versions['ovn-northd'] ?? '';
    let played = 0;
    const result = await runContent(
      {
        real,
        version,
        plan: real.compiled ?? plan,
        planOf: (content, before) => withContent(ovn().plan(contentNetwork, before), content),
      },
      {
        ...which,
        draw: (index) => ({ index, ...drawOvnContent(which.seed, index) }),
        onPlayed: ({ differences }) => {
          played++;
          if (played % 10 === 0 || differences.length > 0)
            context.say(`${name}: ${played} of ${which.count} cases`);
        },
      },
    );
    return { image: `${name} ${version}`.trim(), result };
  } finally {
    await real.close();
  }
}

/** A file a finding, as `harness/fuzz/ovn/frozen` has them. */
async function freezeContent(
  context: Context,
  dir: string,
  seed: number,
  { image, result }: ImageContent,
): Promise<void> {
  await mkdir(dir, { recursive: true });
  for (const { index, differences, shrunk } of result.findings) {
    if (shrunk === undefined) continue;
    const why = differences[0]?.summary ?? '';
    const file = within(dir, `ovn-seed-${seed}-case-${index}.json`);
    await writeFile(file, printFrozen({ why, found: [image], ...shrunk }));
    context.print(`frozen: ${file}`);
  }
}
