/** Groups and meters that flows name. */
import { InputError } from '../base/errors/errors.js';
import type { Group } from '../openflow/groups/group.js';
import type { Meter } from '../openflow/meters.js';
import type { TextSource } from './text-source.js';

/**
 * @param texts of flows and groups. @throws InputError with the line of one that names a group or
 *   meter that is not there: a dump is missing.
 */
export function checkReferences(
  texts: readonly TextSource[],
  groups: readonly Group[],
  meters: readonly Meter[],
): void {
  for (const text of texts) {
    checkNamed(
      text,
      /\bgroup:(\d+)/g,
      groups.map(({ id }) => id),
      'group',
      'dump-groups',
    );
    checkNamed(
      text,
      /\bmeter(?:_id)?[:=](\d+)/g,
      meters.map(({ id }) => id),
      'meter',
      'dump-meters',
    );
  }
}

/** More would bury the message. */
const maxIdsListed = 20;

/**
 * A switch has the groups and meters that its flows name. @throws InputError with the line of one
 * that names another: a dump is missing.
 */
function checkNamed(
  { text, file }: TextSource,
  pattern: RegExp,
  ids: readonly (number | string)[],
  what: string,
  command: string,
): void {
  const known = new Set(ids);
  for (const [index, line] of text.split('\n').entries()) {
    for (const { 1: id, index: column } of line.matchAll(pattern)) {
      if (known.has(Number(id))) continue;
      const others = ids.length === 0 ? '' : `; known are ${ids.slice(0, maxIdsListed).join(', ')}`;
      const more = ids.length <= maxIdsListed ? '' : ` and ${ids.length - maxIdsListed} more`;
      const remedy = `give what "ovs-ofctl ${command}" prints by --${what}s`;
      const place = { file, line: index + 1, column: column + 1 };
      throw new InputError(`${what} ${id} is not known${others}${more}: ${remedy}`, place);
    }
  }
}
