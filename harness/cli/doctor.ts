import { constants } from 'node:fs';
import { access, mkdir, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder, bytesForImage } from '../../images/cache.js';
import { imageFolder, knownImages, verifyImage } from '../../images/images.js';
import { refuseOtherWriters } from '../../images/other-writers.js';
import { systemImage } from '../../images/system-image.js';
import { programsOfTheMachine } from '../../images/uml/compile-kernel.js';
import { kernelFolder, openKernel } from '../../images/uml/kernel.js';
import { onPath } from '../base/files/on-path.js';
import { colors } from '../base/text/colors.js';
import type { Unavailable } from '../base/errors/errors.js';
import { attempt } from '../base/errors/outcome.js';
import { currentPlace, isAlive } from '../ovs/process/owner.js';
import { findLeftovers } from '../ovs/workspace/leftovers.js';
import { findUnfinished } from '../ovs/workspace/unfinished.js';
import { workspaceRoot } from '../ovs/workspace/workspace.js';
import { programOnPath, type MachineFinding } from '../testbeds/machine-finding.js';
import { backends } from '../testbeds/registry.js';
import type { Context } from './context.js';

export interface DoctorOptions {
  /** Reads every file of the images that runs, instead of sizes and times of change. */
  readonly verify?: boolean;
}

/**
 * Prints what this machine offers, one line each, and what to do about what is missing.
 * @returns the exit code: 0 when a run can work, 3 when something that it needs is missing.
 */
export async function doctor(
  { print, root }: Pick<Context, 'print' | 'root'>,
  { verify = false }: DoctorOptions = {},
): Promise<number> {
  const images = await checkImages(verify ? 'wholly' : 'quickly');
  // Making an image needs Debian's tools; an Open vSwitch that is there already does as well.
  const makes = images.some(({ kind }) => kind === 'fine') ? 'optional' : 'missing';
  const findings: readonly MachineFinding[] = [
    { kind: 'fine', text: `node ${process.version}` },
    await programOnPath(
      'npm',
      'optional',
      'installs dependencies when they change',
      'apt-get install npm',
    ),
    ...(await Promise.all(
      ['apt-get', 'dpkg-deb', 'perl'].map((name) =>
        programOnPath(
          name,
          makes,
          'makes images',
          'make images on Debian or its kin, or use --image system',
        ),
      ),
    )),
    ...(await Promise.all(backends.map((backend) => backend.doctor()))).flat(),
    await checkCache(cacheFolder()),
    await checkRoom('folders of switches', workspaceRoot(), 'TMPDIR'),
    ...images,
    ...(await checkKernel()),
    await checkLeftovers(root),
  ];
  for (const finding of findings) print(render(finding));
  const missing = findings.filter(({ kind }) => kind === 'missing').length;
  print(missing === 0 ? '\nready: ./flowbed run' : `\nnot ready: ${missing} missing`);
  return missing === 0 ? 0 : 3;
}

function render({ kind, text, remedy }: MachineFinding): string {
  const marks = { fine: colors.green('✔'), optional: colors.yellow('–'), missing: colors.red('✖') };
  return `${marks[kind]} ${text}${remedy === undefined ? '' : `\n    ${remedy}`}`;
}

async function checkRoom(use: string, folder: string, variable: string): Promise<MachineFinding> {
  const remedy = `name a folder that you can write to: ${variable}=/path/to/folder`;
  try {
    // Others cannot write to it, whatever the umask.
    await mkdir(folder, { recursive: true, mode: 0o755 });
    await access(folder, constants.W_OK);
    const { bavail, bsize } = await statfs(folder);
    const text = `${use}: ${folder}, ${((bavail * bsize) / 2 ** 30).toFixed(1)} GB free`;
    return bavail * bsize < bytesForImage
      ? { kind: 'missing', text: `${text}; 0.5 GB are needed`, remedy }
      : { kind: 'fine', text };
  } catch (error) {
    return {
      kind: 'missing',
      text:
        `${use}: cannot write to ${folder}: ` +
        (error instanceof Error ? error.message : String(error)),
      remedy,
    };
  }
}

async function checkCache(folder: string): Promise<MachineFinding> {
  const room = await checkRoom('image cache', folder, 'FLOWBED_CACHE');
  const outcome = await attempt(() => refuseOtherWriters(folder, []));
  return outcome.kind === 'ok' ? room : missing(outcome.cause);
}

function missing({ message, remedies: [remedy = ''] }: Unavailable): MachineFinding {
  return { kind: 'missing', text: message, remedy };
}

async function checkImages(how: 'quickly' | 'wholly'): Promise<readonly MachineFinding[]> {
  return Promise.all(
    knownImages.map(async ({ name, holds }): Promise<MachineFinding> => {
      const image = await imageFolder(name);
      if (image !== undefined) {
        if (!image.built)
          return {
            kind: 'optional',
            text: `image ${name} (${holds}) is made when it is first used`,
          };
        return await checkImage(
          name,
          `image ${name} (${holds}): ${image.folder}`,
          image.folder,
          how,
        );
      }
      const outcome = await attempt(() => systemImage(process.env['PATH'] ?? ''));
      return outcome.kind === 'ok'
        ? {
            kind: 'fine',
            text: `image ${name} (${holds}): ${outcome.value.command('ovs-vswitchd').join(' ')}`,
          }
        : { kind: 'optional', text: `image ${name} (${holds}): ${outcome.cause.message}` };
    }),
  );
}

async function checkImage(
  name: string,
  text: string,
  folder: string,
  how: 'quickly' | 'wholly',
): Promise<MachineFinding> {
  const outcome = await attempt(() => verifyImage(name, folder, how));
  if (outcome.kind === 'ok')
    return { kind: 'fine', text: how === 'wholly' ? `${text}, every file as it was made` : text };
  return missing(outcome.cause);
}

/** What a world of User-mode Linux needs. */
async function checkKernel(): Promise<readonly MachineFinding[]> {
  const { folder, built } = await kernelFolder();
  if (built) {
    const outcome = await attempt(openKernel);
    return outcome.kind === 'ok'
      ? [{ kind: 'fine', text: `kernel of --world uml: ${folder}` }]
      : [missing(outcome.cause)];
  }
  const lacking = [];
  for (const name of programsOfTheMachine)
    if ((await onPath(name)) === undefined) lacking.push(name);
  return [
    {
      kind: 'optional',
      text: 'no kernel of --world uml yet',
      remedy:
        lacking.length === 0
          ? './flowbed image build uml'
          : `install ${lacking.join(', ')}, then ./flowbed image build uml`,
    },
  ];
}

/** @param root where the project lies. */
async function checkLeftovers(root: string): Promise<MachineFinding> {
  const halfMade = [cacheFolder(), join(root, 'runs')].map(findUnfinished);
  const leftovers: { readonly dir: string }[] = [...(await findLeftovers())];
  for (const { folder, owner } of (await Promise.all(halfMade)).flat())
    if (owner.place === currentPlace() && !(await isAlive(owner))) leftovers.push({ dir: folder });
  if (leftovers.length === 0) return { kind: 'fine', text: 'no leftovers of dead runs' };
  return {
    kind: 'optional',
    text:
      `${leftovers.length === 1 ? 'a dead run' : `${leftovers.length} dead runs`} left ` +
      `something behind: ${leftovers.map(({ dir }) => dir).join(', ')}`,
    remedy: './flowbed clean',
  };
}
