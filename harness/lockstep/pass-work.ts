/** What a pass needed, on both sides, by their counters before and after. */
import type { PassWork } from '../compare/compare-work.js';
import { countedSince, workSince, type CountedWork, type Work } from '../domain/work.js';
import type { Reference } from '../testbeds/reference.js';
import type { Switches } from '../testbeds/testbed.js';

/** How both sides' counters stand. */
export interface WorkReading {
  readonly model: Work | undefined;
  readonly real: CountedWork | undefined;
}

export async function readWork(model: Reference, real: Switches): Promise<WorkReading> {
  return { model: model.work?.(), real: await real.countedWork?.() };
}

/** Undefined where what is compared with is no model. */
export function passWork(before: WorkReading, now: WorkReading): PassWork | undefined {
  if (before.model === undefined || now.model === undefined) return undefined;
  return {
    predicted: workSince(before.model, now.model),
    ...(before.real === undefined || now.real === undefined
      ? {}
      : { counted: countedSince(before.real, now.real) }),
  };
}
