/** What killed runs left in the Docker engine of this machine, where there is one. */
import { imageFolder, knownImages, openImage } from '../../images/images.js';
import { attempt } from '../base/errors/outcome.js';
import { engineAtHand } from '../docker/engine.js';
import { findLeftContainers, removeLeftContainer } from '../docker/left-containers.js';
import { pruneImages } from '../docker/node-image.js';

/**
 * Removes containers of dead runs, and images that are not made of a root folder that there is.
 * @returns what it has removed, in words behind "removed".
 */
export async function cleanEngine(): Promise<readonly string[]> {
  const found = await engineAtHand();
  if (found.kind !== 'ok') return [];
  const engine = found.value;
  const removed: string[] = [];
  for (const left of await findLeftContainers(engine))
    if (await removeLeftContainer(engine, left)) removed.push(`the container ${left.name}`);
  for (const reference of await pruneImages(engine, await imagesThatAreThere()))
    removed.push(`the image ${reference} of the Docker engine`);
  return removed;
}

async function imagesThatAreThere() {
  const there = await Promise.all(
    knownImages.map(async ({ name }) => {
      if ((await imageFolder(name))?.built !== true) return [];
      const opened = await attempt(() => openImage(name, () => undefined));
      return opened.kind === 'ok' ? [opened.value] : [];
    }),
  );
  return there.flat();
}
