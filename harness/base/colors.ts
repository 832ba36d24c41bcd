import picocolors from 'picocolors';

/** Colours for stdout: on a terminal only, and none where NO_COLOR is set (no-color.org) or TERM is dumb. */
export const colors = picocolors.createColors(process.stdout.isTTY === true && !process.env['NO_COLOR'] && process.env['TERM'] !== 'dumb');
