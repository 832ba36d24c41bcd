/** Which of several components it is, before anybody asks for its version. */
import { deltaDebug } from '../../search/delta-debug.js';
import type { Judge } from './bisect-judge.js';
import type { Component, World } from './bisect-world.js';
import type { Context } from '../context.js';
import { describeWorld } from './read-world.js';

/** The fewest components whose bad versions make the good world bad. */
export async function culpritsAmong(
  { print }: Pick<Context, 'print'>,
  { isBad }: Pick<Judge, 'isBad'>,
  differing: readonly Component[],
  good: World,
  bad: World,
): Promise<readonly Component[]> {
  if (differing.length === 1) return differing;
  const culprits = await deltaDebug(differing, async (some) => {
    const world = { ...good, ...pick(bad, some) };
    const answer = await isBad(world);
    print(`# ${describeWorld(world)}: ${answer.kind}`);
    return answer.kind === 'bad';
  });
  print(`# it is ${culprits.join(' with ')}: the others may stay`);
  return culprits;
}

export function pick(world: World, some: readonly Component[]): World {
  return Object.fromEntries(
    some.flatMap((one) => (world[one] === undefined ? [] : [[one, world[one]]])),
  );
}
