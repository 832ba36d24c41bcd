/** What killed runs left in the Docker engine of this machine, where there is one. */
import { readdir, rm } from 'node:fs/promises';
import { imageFolder, knownImages, openImage } from '../../images/images.js';
import { within } from '../base/files/path-part.js';
import { attempt } from '../base/errors/outcome.js';
import { openContainerlab } from '../containerlab/containerlab.js';
import { engineAtHand } from '../docker/engine.js';
import { findLeftContainers, removeLeftContainer } from '../docker/left-containers.js';
import { pruneImages } from '../docker/node-image.js';
import { scratchFolder } from '../ovs/workspace/workspace.js';

/**
 * Removes containers of dead runs, and images that are not made of a root folder that there is.
 * @returns what it has removed, in words behind "removed".
 */
export async function cleanEngine(): Promise<readonly string[]> {
  const found = await engineAtHand();
  if (found.kind !== 'ok') return [];
  const engine = found.value;
  const removed: string[] = [];
  const leftovers = await findLeftContainers(engine);
  for (const lab of new Set(leftovers.flatMap(({ lab }) => lab ?? [])))
    if (await destroyLab(lab)) removed.push(`the lab ${lab}`);
  for (const left of leftovers)
    if (await removeLeftContainer(engine, left)) removed.push(`the container ${left.name}`);
  for (const reference of await pruneImages(engine, await imagesThatAreThere()))
    removed.push(`the image ${reference} of the Docker engine`);
  return removed;
}

/** With its names in /etc; false where containerlab is gone: then its containers are removed. */
async function destroyLab(name: string): Promise<boolean> {
  const scratch = await scratchFolder();
  try {
    const program = openContainerlab({ labFolders: scratch });
    const destroyed = await attempt(() => program.destroy({ name }, { cleanup: true }));
    if (destroyed.kind === 'ok') await removeNames(name);
    return destroyed.kind === 'ok';
  } finally {
    await rm(scratch, { recursive: true });
  }
}

/** Where the lab's topology file is gone, containerlab leaves them. */
async function removeNames(lab: string): Promise<void> {
  await rm(within('/etc/ssh/ssh_config.d', `clab-${lab}`, '.conf'), { force: true });
  const namespaces = await readdir('/run/netns').catch(() => []);
  for (const found of namespaces.filter((entry) => entry.startsWith(`clab-${lab}-`)))
    await rm(within('/run/netns', found), { force: true });
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
