import picocolors from 'picocolors';
import { visible } from './visible.js';

/**
 * Colours for stdout: on a terminal only, and none where NO_COLOR is set (no-color.org) or TERM is
 * dumb.
 */
export const colors = picocolors.createColors(
  process.stdout.isTTY === true && !process.env['NO_COLOR'] && process.env['TERM'] !== 'dumb',
);

/**
 * What `colors` wraps texts in: bold, dim, red, green, yellow, and their ends (ECMA-48,
 * 8.3.117).
 */
const ours = /(\x1b\[(?:1|2|22|31|32|33|39)m)/;

/**
 * What may go to a terminal: nothing steers it but colours of ours. Where names are to be on one
 * line, and without colour, renderers take `shown` before: this is the net behind them.
 */
export function printable(
  text: string,
  { isColorSupported }: { readonly isColorSupported: boolean } = colors,
): string {
  if (!isColorSupported) return visible(text);
  return text
    .split(ours)
    .map((part, index) => (index % 2 === 1 ? part : visible(part)))
    .join('');
}
