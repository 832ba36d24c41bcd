/** A process that plays lanes for another, which started it (hands.ts), and ends with it. */
import { openImage } from '../../images/images.js';
import { createTeardown } from '../base/teardown.js';
import { tellError, type ToldError } from '../base/told-error.js';
import { visible } from '../base/visible.js';
import { pieceOf, playLane, type Lane, type LaneOutcome } from '../run/lanes.js';
import type { LogFile } from '../run/run-folder.js';
import { report } from './commands.js';
import { endNow, guardEnds } from './ends.js';
import { openerOf } from './opener.js';
import { askedBy, type RunRequest } from './points.js';

export interface Beginning extends RunRequest {
  /** Where the project lies. */
  readonly root: string;
  /** Of Open vSwitch in the image. */
  readonly version: string;
}

export interface PlayedLane {
  readonly outcome: LaneOutcome;
  readonly logs: readonly LogFile[];
}

/** What it is told. */
export type Telling =
  | { readonly kind: 'begin'; readonly beginning: Beginning }
  | { readonly kind: 'play'; readonly id: number; readonly point: number; readonly lane: Lane };

/** What it says of the lane that it was told to play as `id`. */
export type Said =
  | { readonly kind: 'judged'; readonly id: number }
  | { readonly kind: 'played'; readonly id: number; readonly played: PlayedLane }
  | { readonly kind: 'failed'; readonly id: number; readonly error: ToldError };

const teardown = createTeardown();
process.stderr.on('error', () => undefined); // there is nobody left to tell
guardEnds((error) => {
  const code = report(error, {
    complain: (line) => void process.stderr.write(`${visible(line)}\n`),
  });
  void teardown.run().finally(() => endNow(code));
});

type Play = (point: number, lane: Lane, onJudged: () => void) => Promise<PlayedLane>;

async function begin({ root, version, ...request }: Beginning): Promise<Play> {
  const [{ seed, depth, points }, image] = await Promise.all([
    askedBy(root, request),
    openImage(request.options.image, () => undefined),
  ]);
  return async (index, lane, onJudged) => {
    const point = points[index];
    if (point === undefined) throw new Error(`there is no point ${index}`);
    const logs: LogFile[] = [];
    const options = { seed, depth, version, openReal: openerOf(index, image, teardown, logs) };
    return {
      outcome: await playLane(
        pieceOf(point.scenario, point.axes, options),
        lane,
        options,
        onJudged,
      ),
      logs,
    };
  };
}

function say(said: Said): void {
  // who does not listen any more has ended
  process.send?.(said, undefined, undefined, () => undefined);
}

let playing: Promise<Play> | undefined;
process.on('message', (telling: Telling) => {
  if (telling.kind === 'begin') {
    playing = begin(telling.beginning);
    return;
  }
  const { id, point, lane } = telling;
  const played = playing?.then((play) =>
    play(point, lane, () => {
      say({ kind: 'judged', id });
    }),
  );
  played?.then(
    (played) => {
      say({ kind: 'played', id, played });
    },
    (error: unknown) => {
      say({ kind: 'failed', id, error: tellError(error) });
    },
  );
});
const end = () => void teardown.run().finally(() => process.exit());
process.on('disconnect', end);
if (!process.connected) end();
