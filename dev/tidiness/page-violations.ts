/** What pages must hold to: short lines, and one for each room. */
import { columnsMax } from './lengths.js';
import type { Source } from './sources.js';

/** Lines of a room's page, its title aside: who comes in reads all of it. */
const roomLines = { min: 5, max: 35 };

/**
 * Lines of more than 100 columns, one complaint each; tables and code blocks are as wide as what
 * they show.
 */
export function complainAboutColumns(page: Source): readonly string[] {
  let isCode = false;
  return page.text.split('\n').flatMap((line, index) => {
    if (/^\s*```/.test(line)) isCode = !isCode;
    const isExcepted = isCode || /^( {4}|\s*\|)/.test(line) || /^\S*$/.test(line.trim());
    return isExcepted || line.length <= columnsMax
      ? []
      : [`${page.path}:${index + 1}: ${line.length} columns, at most ${columnsMax}`];
  });
}

/** A room is a folder with a purpose: its README.md says what lives there and what may enter. */
export function complainAboutRooms(
  rooms: readonly string[],
  pages: readonly Source[],
): readonly string[] {
  return rooms.flatMap((room) => {
    const page = pages.find(({ path }) => path === `${room}/README.md`);
    if (page === undefined)
      return [`${room}: expected a README.md that says what lives there and what may enter`];
    const [title = '', ...lines] = page.text.trim().split('\n');
    return [
      ...(title === `# ${room}` ? [] : [`${page.path}:1: expected "# ${room}", got "${title}"`]),
      ...(lines.length >= roomLines.min && lines.length <= roomLines.max
        ? []
        : [`${page.path}: ${lines.length} lines, expected ${roomLines.min} to ${roomLines.max}`]),
    ];
  });
}
