/**
 * `flowbed fuzz events`: random timelines of a cluster through intent, model and real switches of
 * several versions.
 */
import { openImage } from '../../../images/images.js';
import { eventsAsJson, renderEvents, type ImageEvents } from '../../../reports/render-events.js';
import { generatedTimeline } from '../../../topologies/generated/generated-timeline.js';
import { sequenceOf } from '../../../topologies/cluster-events.js';
import { type ClusterEvent } from '../../../topologies/cluster-event.js';
import { attempt } from '../../base/errors/outcome.js';
import { antrea } from '../../control/antrea/index.js';
import { runEvents, type DrawnTimeline, type EventsCampaign } from '../../fuzz/run-events.js';
import type { JudgedStep } from '../../run/timeline/timeline-run.js';
import { defaultBackend } from '../../testbeds/registry.js';
import { exitCodes, type Context } from '../context.js';
import { imageNames, refuseFreeze, wholeNumber, type FuzzOptions } from './fuzz.js';

/** Changes of the cluster in one timeline. */
const changesPerTimeline = 6;

/**
 * @returns 0 when all timelines conform, 1 when one diverges, 3 when one was aborted. @throws
 *   InputError for a wrong request.
 */
export async function fuzzEvents(context: Context, options: FuzzOptions): Promise<number> {
  refuseFreeze(options, 'events');
  const [seed, count, only] = [
    wholeNumber('seed', options.seed),
    wholeNumber('count', options.count),
    options.case === undefined ? undefined : wholeNumber('case', options.case),
  ];
  const results: ImageEvents[] = [];
  const codes: number[] = [];
  for (const name of imageNames(options)) {
    const outcome = await attempt(() =>
      fuzzEventsOnImage(
        context,
        name,
        seed,
        only === undefined
          ? { count }
          : { count: 1, first: only, onPlayed: stepPrinter(context, options) },
      ),
    );
    if (outcome.kind === 'unavailable') {
      context.print(
        [
          `? ${name}: ${outcome.cause.message}`,
          ...outcome.cause.evidence.map((line) => `    ${line}`),
          ...outcome.cause.remedies.map((line) => `  - ${line}`),
        ].join('\n'),
      );
      codes.push(exitCodes.inconclusive);
      continue;
    }
    const { result } = outcome.value;
    results.push(outcome.value);
    codes.push(
      result.findings.length > 0
        ? exitCodes.diverges
        : result.aborted.length > 0
          ? exitCodes.inconclusive
          : exitCodes.conforms,
    );
    if (options.json !== true) context.print(renderEvents(outcome.value));
  }
  if (options.json === true) context.print(eventsAsJson(seed, results));
  return codes.includes(exitCodes.diverges) ? exitCodes.diverges : Math.max(...codes);
}

/** One timeline as it went. */
function stepPrinter(
  context: Context,
  { json }: FuzzOptions,
): (judged: readonly JudgedStep[]) => void {
  return (judged) => {
    if (json !== true)
      context.print(
        judged
          .map(
            ({ id, intent, verdict }) =>
              `${verdict === 'conforms' ? '✔' : verdict === 'diverges' ? '✖' : '?'} ` +
              `${id}${intent === undefined ? '' : `: ${intent.kind}`}`,
          )
          .join('\n'),
      );
  };
}

async function fuzzEventsOnImage(
  context: Context,
  name: string,
  seed: number,
  which: Pick<EventsCampaign<ClusterEvent>, 'count' | 'first' | 'onPlayed'>,
): Promise<ImageEvents> {
  const image = await openImage(name, context.say);
  let version = '';
  const result = await runEvents({
    ...which,
    context: {
      controlPlane: antrea('0.8'),
      seed,
      openReal: async (plan) => {
        const sim = await defaultBackend.open(plan, image, { teardown: context.teardown });
        version = sim.versions['ovs-vswitchd'] ?? '';
        return sim;
      },
    },
    draw: (index): DrawnTimeline<ClusterEvent> => {
      const {
        pipeline,
        first,
        events: drawnEvents,
      } = generatedTimeline(seed, index, changesPerTimeline);
      return {
        controlPlane: antrea(pipeline),
        events: drawnEvents,
        sequenceOf: (some) => sequenceOf(first, some),
      };
    },
    onProgress: (played, doing) => {
      context.say(`${name}: ${doing}: ${played} of ${which.count} timelines`);
    },
  });
  return { image: `${name} ${version}`.trim(), result };
}
