// Goal: what a guest's program says, what its kernel says and how the program ended are kept apart,
// wherever the console's text is cut. Method: a text with all of them, cut at every place.
import t from 'tap';
import { takeConsoleLines, type ConsoleLine } from './console-lines.js';

const text =
  'building\r\n\r\u001b[K1 of 2 vectors\r\u001b[K2 of 2 vectors\r\n' +
  '[    1.204000] Kernel panic - not syncing\r\nflowbed-guest-exit 3\r\n';
const lines: readonly ConsoleLine[] = [
  { kind: 'said', text: 'building' },
  { kind: 'said', text: '1 of 2 vectors' },
  { kind: 'said', text: '2 of 2 vectors' },
  { kind: 'kernel', text: '[    1.204000] Kernel panic - not syncing' },
  { kind: 'exit', code: 3 },
];

void t.test('lines, wherever they are cut', async (t) => {
  for (let cut = 0; cut <= text.length; cut++) {
    const first = takeConsoleLines(text.slice(0, cut));
    const second = takeConsoleLines(first.rest + text.slice(cut));
    t.same([...first.lines, ...second.lines], lines, `cut at ${cut}`);
    t.equal(second.rest, '');
  }
});

void t.test('a program that only speaks of the mark has not ended', async (t) => {
  t.match(takeConsoleLines('said flowbed-guest-exit 0\n').lines, [{ kind: 'said' }]);
});
