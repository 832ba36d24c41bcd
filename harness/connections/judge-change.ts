/** A played change held to what has to be true of its connections. */
import type { WayAccount } from './account-connection.js';
import type { LiveChange } from './changes.js';
import type { PlayedChange } from './play-change.js';

/** What is not as it has to be, in words; nothing where all is. */
export function judgeChange(
  { mayLose, newOne }: Pick<LiveChange, 'mayLose' | 'newOne'>,
  played: Omit<PlayedChange, 'frames' | 'clientPort'>,
  account: readonly WayAccount[],
): readonly string[] {
  const { before, within, rounds, wanted, cut } = played;
  const within2 = mayLose === 'nothing' ? [] : [before + 1, within + 1];
  const [first = Infinity, last = -Infinity] = within2;
  return [
    ...(cut === undefined ? [] : [`it is cut after ${rounds} of ${wanted} rounds: ${cut}`]),
    ...account.flatMap(({ sent }) => (sent === 0 ? ['nothing of it is seen'] : [])),
    ...account.flatMap(({ way, lost, unexplained }) => [
      ...lost
        .filter(({ round }) => round < first || round > last)
        .slice(0, 3)
        .map(
          ({ round, sequence, payload, where }) =>
            `a segment ${way}, of round ${round}, is lost ${where}: sequence ${sequence}, ` +
            `${payload} bytes; the change is in rounds ${before + 1} to ${within + 1}`,
        ),
      ...unexplained.slice(0, 3).map((why) => `${way}: ${why}`),
    ]),
    ...newOneDiffers(newOne, played.newOne),
  ];
}

function newOneDiffers(
  expected: LiveChange['newOne'],
  actual: PlayedChange['newOne'],
): readonly string[] {
  const met = 'at' in actual ? `is taken by ${actual.at}` : `is not taken: ${actual.cut}`;
  if (expected === 'no answer')
    return 'cut' in actual && /timed out/.test(actual.cut)
      ? []
      : [`a connection opened behind the change ${met}; nobody should answer it`];
  return 'at' in actual && actual.at === expected.at
    ? []
    : [`a connection opened behind the change ${met}; ${expected.at} should take it`];
}
