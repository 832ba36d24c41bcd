/** The smallest case that still shows something: fewer frames, flows and groups, then less in each of them. */
import type { FrameIn, FuzzCase } from '../case.js';
import { fewer } from './fewer.js';
import { simplerFlows, simplerGroups } from './simpler.js';

type Shows = (smaller: FuzzCase) => Promise<boolean>;

/** @param shows whether a case still shows it; asked one case at a time, in an order that is always the same. */
export async function shrink(whole: FuzzCase, shows: Shows): Promise<FuzzCase> {
  for (let found = whole; ;) {
    const smaller = await shrinkOnce(found, shows);
    if (sizeOf(smaller) === sizeOf(found)) return smaller;
    found = smaller;
  }
}

function sizeOf(fuzzCase: FuzzCase): string {
  return JSON.stringify([fuzzCase.groups, fuzzCase.flows, fuzzCase.frames.map(({ port, frame }) => [port, Buffer.from(frame).toString('hex')])]);
}

async function shrinkOnce(whole: FuzzCase, shows: Shows): Promise<FuzzCase> {
  let found = whole;
  found = { ...found, frames: await fewer(found.frames, (frames) => shows({ ...found, frames })) };
  found = { ...found, flows: await fewer(found.flows, (flows) => shows({ ...found, flows })) };
  found = { ...found, groups: await fewer(found.groups, (groups) => shows({ ...found, groups })) };
  found = { ...found, flows: await simplify(found.flows, simplerFlows, (flows) => shows({ ...found, flows })) };
  found = { ...found, groups: await simplify(found.groups, simplerGroups, (groups) => shows({ ...found, groups })) };
  return { ...found, frames: await simplify(found.frames, simplerFrames, (frames) => shows({ ...found, frames })) };
}

/** Replaces each entry by a simpler one for as long as one will do. */
async function simplify<T>(all: readonly T[], simpler: (entry: T) => readonly T[], holds: (all: readonly T[]) => Promise<boolean>): Promise<readonly T[]> {
  let found = all;
  for (let index = 0; index < found.length; index++) {
    for (let next: T | undefined = found[index]; next !== undefined;) {
      const entry: T = next;
      next = undefined;
      for (const candidate of simpler(entry)) {
        const replaced = found.with(index, candidate);
        if (!(await holds(replaced))) continue;
        [found, next] = [replaced, candidate];
        break;
      }
    }
  }
  return found;
}

const headerLength = 14;

/** Shorter, from half of what follows the Ethernet header to one byte less; then with a byte of zeros more. */
function simplerFrames({ port, frame }: FrameIn): readonly FrameIn[] {
  const rest = frame.length - headerLength;
  const lengths = rest <= 0 ? [] : [...new Set([Math.floor(rest / 2), Math.floor((rest * 7) / 8), rest - 1])];
  const zeroed = [...frame.keys()].filter((index) => frame[index] !== 0).map((index) => ({ port, frame: frame.with(index, 0) }));
  return [...(port === '1' ? [] : [{ port: '1', frame }]), ...lengths.map((length) => ({ port, frame: frame.slice(0, headerLength + length) })), ...zeroed];
}
