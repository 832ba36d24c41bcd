/** What people read of a change under a connection. */
import type { LiveChange } from './changes.js';
import type { ChangeResult } from './run-change.js';

export function printChange(
  { name, title }: Pick<LiveChange, 'name' | 'title'>,
  { verdict, before, within, rounds, account, newOne, switching, differences }: ChangeResult,
): readonly string[] {
  const mark = verdict === 'conforms' ? '✔' : '✖';
  return [
    `${mark} ${name}  ${title}`,
    `    ${rounds} rounds, changed in those from ${before + 1} to ${within + 1}; ${switching}`,
    ...account.map(({ way, sent, arrived, sentAgain, lost }) => {
      const where = [...new Set(lost.map((one) => one.where))].join(', ');
      const losses = lost.length === 0 ? 'none lost' : `${lost.length} lost ${where}`;
      return (
        `    ${way.padEnd(15)} ${sent} segments, ${arrived} arrived, ${losses}, ` +
        `${sentAgain} sent again`
      );
    }),
    `    one opened then: ${'at' in newOne ? `taken by ${newOne.at}` : newOne.cut}`,
    ...differences.map((difference) => `    ${difference}`),
  ];
}
