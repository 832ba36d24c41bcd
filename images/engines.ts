/**
 * Docker engines that run on this machine without being installed: root folders of Debian like
 * those that nodes are made of, with an engine and the tools that its networks need.
 */
import { cp, lstat, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { canonicalJson, sha256 } from '../harness/base/files/digest.js';
import { unknownName } from '../harness/base/errors/errors.js';
import { attempt } from '../harness/base/errors/outcome.js';
import { cacheFolder, cached } from './cache.js';
import { execute } from './execute.js';
import { refuseOtherWriters } from './other-writers.js';
import { findLoader } from './programs.js';
import { buildRoot } from './rootfs.js';
import { suites, type Suite } from './suites.js';

/** An engine's files: `startEngine` in `harness/docker-engine` starts it. */
export interface EngineImage {
  readonly name: string;
  /** As Debian has it: `26.1.5+dfsg1-9+b9`. */
  readonly version: string;
  /** A whole root folder, of which nothing is written to. */
  readonly root: string;
  /** The words that its client is called by, outside of that root. */
  readonly client: readonly string[];
}

const tools = ['containerd', 'runc', 'iptables', 'iproute2', 'ethtool', 'busybox-static'];

/** By Debian's suite; the first is the one that tests demand. */
export const engines = [
  { name: 'trixie', holds: 'Docker 26.1', packages: ['docker.io', 'docker-cli', ...tools] },
  { name: 'bookworm', holds: 'Docker 20.10', packages: ['docker.io', ...tools] },
] as const;
export type EngineName = (typeof engines)[number]['name'];

/**
 * The engine of that suite, made first where it is not in the cache.
 * @throws Unavailable where it cannot be made.
 */
export async function openEngine(
  name: EngineName,
  say: (line: string) => void,
): Promise<EngineImage> {
  const engine = engines.find((one) => one.name === name);
  const suite: Suite | undefined = suites.find((one) => one.name === name);
  if (engine === undefined || suite === undefined)
    throw unknownName(
      'engine',
      name,
      engines.map((one) => one.name),
    );
  await refuseOtherWriters(cacheFolder(), []);
  const recipe = { recipeVersion, suite: name, architecture: process.arch, ...engine };
  const key = `docker-${name}-${sha256(canonicalJson(recipe)).slice(0, 12)}`;
  const folder = await cached(cacheFolder(), key, async (unfinished) => {
    const [root, scratch] = [join(unfinished, 'root'), join(unfinished, 'scratch')];
    await mkdir(scratch);
    const versions = await buildRoot(suite, engine.packages, root, scratch, say);
    await finishRoot(root);
    await writeFile(join(unfinished, 'version'), versions['docker.io'] ?? 'unknown');
    await rm(scratch, { recursive: true, force: true });
  });
  await refuseOtherWriters(dirname(folder), [basename(folder), `${basename(folder)}/root`]);
  const root = join(folder, 'root');
  return {
    name,
    version: await readFile(join(folder, 'version'), 'utf8'),
    root,
    client: [...((await findLoader(root)) ?? []), join(root, 'usr/bin/docker')],
  };
}

/** Raised when the way in which engines are made changes. */
const recipeVersion = 1;

/** What installation would have done: /usr is merged, and iptables is one of its two. */
async function finishRoot(root: string): Promise<void> {
  for (const name of ['bin', 'sbin', 'lib', 'lib64']) {
    const at = join(root, name);
    const status = await lstat(at).catch(() => undefined);
    if (status?.isSymbolicLink() === true) continue;
    if (status?.isDirectory() === true) {
      await cp(at, join(root, 'usr', name), { recursive: true, verbatimSymlinks: true });
      await rm(at, { recursive: true });
    }
    await symlink(`usr/${name}`, at);
  }
  for (const name of ['iptables', 'ip6tables'])
    await symlink('xtables-nft-multi', join(root, 'usr/sbin', name)).catch(() => undefined);
}

/** Why a test has no engine. */
export interface NoEngine {
  readonly missing: string;
}

/**
 * For tests: what they are skipped with where no engine can be had. Continuous integration as root
 * (CI=true) demands it: there it throws instead.
 */
export async function engineForTests(
  name: EngineName,
  say: (line: string) => void,
): Promise<EngineImage | NoEngine> {
  if (process.getuid?.() !== 0)
    return { missing: 'a Docker engine needs root, and this is an ordinary user' };
  const opened = await attempt(async () => {
    const image = await openEngine(name, say);
    await execute('unshare', ['--net', '--mount', '--pid', '--fork', 'true'], {
      purpose: 'make namespaces for a Docker engine',
      remedies: ['give this container the right to: docker run --privileged'],
    });
    return image;
  });
  if (opened.kind === 'ok') return opened.value;
  if (process.env['CI'] === 'true') throw opened.cause;
  return { missing: opened.cause.message };
}
