import t from 'tap';
import type { Image } from '../../ovs/process/image.js';
import type { Scenario } from '../../domain/scenario.js';
import type { Fault } from '../fault.js';
import { isPlayed } from '../suites.js';
import { tryFault } from '../try-fault.js';

/** A test a fault: it is caught by those of the vectors `ids` that `flowbed selftest` plays. */
export function plantFaults(
  image: Image,
  scenario: Scenario,
  axes: Readonly<Record<string, string>>,
  faults: readonly Fault[],
  ids: readonly string[],
): void {
  for (const fault of faults) {
    void t.test(fault.name, async (t) => {
      const result = await tryFault(scenario, axes, fault, {
        image,
        sim: {},
        nowMs: () => 0,
        only: (vector) => ids.includes(vector.id) && isPlayed(scenario.name, vector),
      });
      t.equal(
        result.kind,
        'caught',
        JSON.stringify(result.kind === 'unnoticed' ? result.why : result),
      );
    });
  }
}
