/** Containers of runs that have ended without removing them. */
import { isAlive, currentPlace, parseOwner } from '../ovs/process/owner.js';
import { ownerLabel } from './container.js';
import { statusOf, type Engine } from './engine.js';

export interface LeftContainer {
  readonly id: string;
  /** `flowbed-1234-…-n1` */
  readonly name: string;
  /** The lab of containerlab that it belongs to. */
  readonly lab?: string;
}

/** Those whose run is dead; of a run elsewhere it is not known here. */
export async function findLeftContainers(engine: Engine): Promise<readonly LeftContainer[]> {
  const found = await engine.client.listContainers({
    all: true,
    filters: JSON.stringify({ label: [ownerLabel] }),
  });
  const left: LeftContainer[] = [];
  for (const { Id: id, Names: names, Labels: labels } of found) {
    const owner = parseOwner(labels[ownerLabel] ?? '');
    if (owner === undefined || owner.place !== currentPlace() || (await isAlive(owner))) continue;
    const lab = labels['containerlab'];
    left.push({
      id,
      name: (names[0] ?? id).replace(/^\//, ''),
      ...(lab === undefined ? {} : { lab }),
    });
  }
  return left;
}

/** @returns whether it was there. */
export async function removeLeftContainer(engine: Engine, { id }: LeftContainer): Promise<boolean> {
  try {
    await engine.client.getContainer(id).remove({ force: true });
    return true;
  } catch (error) {
    if (statusOf(error) === 404 || statusOf(error) === 409) return false;
    throw error;
  }
}
