/** Imports against the table of rooms in `layers.ts`. */
import type { Import } from './imports.js';
import { layers } from './layers.js';

/**
 * What tests may import beside what their room may: scenarios and networks to test on, and a real
 * Open vSwitch.
 */
const forTests = ['harness/base', 'scenarios', 'topologies', 'images'];

/** What `*.live.test.ts` may import beside that: the switches that they hold their room to. */
const forLiveTests = [...forTests, 'harness/ovs', 'harness/testbeds', 'harness/docker-engine'];

/**
 * A folder, or a file that stands between folders: `harness/model`, `topologies`,
 * `harness/index.ts`.
 */
export function roomOf(path: string): string {
  return /^(harness|dev)\//.test(path)
    ? path.split('/', 2).join('/')
    : (path.split('/')[0] ?? path);
}

/** The imports that `layers` does not allow, one line each. */
export function importViolations(imports: readonly Import[]): readonly string[] {
  return imports.flatMap(({ place, from, to, kind }) => {
    const [room, target] = [roomOf(from), roomOf(to)];
    const allowed = layers[room];
    if (allowed === undefined)
      return [`${place}: the folder ${room} has no row in dev/tidiness/layers.ts`];
    const fine =
      room === target ||
      allowed.includes(target) ||
      (kind === 'type' && allowed.includes(`types of ${target}`)) ||
      testsMayImport(from).includes(target);
    return fine
      ? []
      : [
          `${place}: ${room} must not import ${to}; it may import ` +
            (allowed.join(', ') || 'nothing'),
        ];
  });
}

function testsMayImport(from: string): readonly string[] {
  if (from.endsWith('.live.test.ts')) return forLiveTests;
  return from.endsWith('.test.ts') ? forTests : [];
}
