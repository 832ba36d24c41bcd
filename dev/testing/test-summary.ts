import type { Colors } from 'picocolors/types.js';
import type { Tally } from './read-tap.js';

/** One check that has run. */
export interface Checked {
  readonly name: string;
  readonly tally: Tally;
  readonly durationMs: number;
}

/** The line of a check, printed when it ends. */
export function progressLine({ name, tally, durationMs }: Checked, colors: Colors): string {
  const counts = [
    `${tally.passed} passed`,
    count(tally.failures.length, 'failed', colors.red),
    count(tally.skips.length, 'skipped', colors.yellow),
  ];
  const mark = tally.failures.length > 0 ? colors.red('✖') : colors.green('✔');
  return (
    `${mark} ${name}  ${counts.filter((part) => part !== '').join(', ')}  ` +
    colors.dim(`${(durationMs / 1000).toFixed(1)} s`)
  );
}

function count(number: number, what: string, color: (text: string) => string): string {
  return number === 0 ? '' : color(`${number} ${what}`);
}

/**
 * What stands at the end: each failure with its diagnosis, each skip with its reason, and the
 * totals as the last line.
 */
export function summary(checked: readonly Checked[], colors: Colors): readonly string[] {
  const failures = checked.flatMap(({ name, tally }) =>
    tally.failures.map((failure) => ({ name, ...failure })),
  );
  const skips = checked.flatMap(({ name, tally }) =>
    tally.skips.map((skip) => ({ name, ...skip })),
  );
  return [
    ...failures.flatMap(({ name, path, diagnosis }) => [
      '',
      `${colors.red('✖')} ${[name, ...path].join(' › ')}`,
      ...diagnosis.map((line) => `    ${line}`),
    ]),
    ...(skips.length === 0 ? [] : ['', 'Skipped:']),
    ...skips.map(({ name, path, reason }) => `- ${[name, ...path].join(' › ')}: ${reason}`),
    '',
    totalsLine(checked.map(({ tally }) => tally)),
  ];
}

/** `N passed, N failed, N skipped`, never coloured: other programs read it. */
export function totalsLine(tallies: readonly Tally[]): string {
  const total = (of: (tally: Tally) => number): number =>
    tallies.reduce((sum, tally) => sum + of(tally), 0);
  return (
    `${total((tally) => tally.passed)} passed, ${total((tally) => tally.failures.length)} ` +
    `failed, ${total((tally) => tally.skips.length)} skipped`
  );
}
