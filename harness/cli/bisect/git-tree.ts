/** A git repository of the user: its commits, and their files in folders of their own. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { InputError } from '../../base/errors/errors.js';
import { makeFolder } from '../../base/files/make-folder.js';
import type { Context } from '../context.js';
import { scratchFolder } from '../../ovs/workspace/workspace.js';

export interface Commit {
  readonly sha: string;
  readonly subject: string;
}

async function git(repository: string, ...args: readonly string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await execa('git', ['-C', repository, ...args], {
    reject: false,
    stdin: 'ignore',
  });
  if (exitCode === 0) return stdout;
  throw new InputError(
    `git ${args[0] ?? ''} in ${repository} says: ${stderr.split('\n')[0] ?? 'nothing'}`,
  );
}

/** @throws InputError for a revision that the repository does not have. */
export async function commitOf(repository: string, revision: string): Promise<Commit> {
  const line = await git(repository, 'log', '-1', '--format=%H %s', '--end-of-options', revision);
  return readCommit(line);
}

/** The id of all files of a commit: other commits with the same files have the same. */
export async function contentOf(repository: string, sha: string): Promise<string> {
  return (await git(repository, 'rev-parse', '--verify', `${sha}^{tree}`)).trim();
}

/** Behind `good`, up to `bad`, along first parents. @throws InputError where that is no line. */
export async function commitsBetween(
  repository: string,
  good: Commit,
  bad: Commit,
): Promise<readonly Commit[]> {
  const range = `${good.sha}..${bad.sha}`;
  const text = await git(repository, 'log', '--reverse', '--first-parent', '--format=%H %s', range);
  const commits = text
    .split('\n')
    .filter((line) => line !== '')
    .map(readCommit);
  if (commits.at(-1)?.sha !== bad.sha)
    throw new InputError(
      `${bad.sha} does not come after ${good.sha} in ${repository}: --good is the older one`,
    );
  return commits;
}

function readCommit(line: string): Commit {
  const [sha = '', ...words] = line.trim().split(' ');
  return { sha, subject: words.join(' ') };
}

/** Writes the files of commits into folders, which are removed at the end. */
export function checkoutsOf(
  { teardown }: Context,
  repository: string,
): (sha: string) => Promise<string> {
  const folders = new Map<string, Promise<string>>();
  const write = async (sha: string): Promise<string> => {
    const folder = await scratchFolder();
    teardown.add(() => rm(folder, { recursive: true, force: true }));
    await writeCommit(repository, sha, join(folder, 'files'));
    return join(folder, 'files');
  };
  return (sha) => {
    const found = folders.get(sha) ?? write(sha);
    folders.set(sha, found);
    return found;
  };
}

export async function writeCommit(repository: string, sha: string, folder: string): Promise<void> {
  await makeFolder(folder);
  const archive = `${folder}.tar`;
  await git(repository, 'archive', '--format=tar', '-o', archive, sha);
  await execa('tar', ['-xf', archive, '-C', folder], { stdin: 'ignore' });
  await rm(archive);
}

/** More than these are written as a whole commit is. */
const pathsMax = 500;

/** From one commit to another: what differs is written as new, so that make sees it. */
export async function moveTree(
  repository: string,
  from: string,
  to: string,
  folder: string,
): Promise<void> {
  const changed = await git(
    repository,
    ...['diff', '--name-status', '--no-renames', '-z', from, to],
  );
  const fields = changed.split('\0');
  const paths: string[] = [];
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const [status, path = ''] = fields.slice(index, index + 2);
    if (status === 'D') await rm([folder, path].join('/'), { force: true });
    else paths.push(path);
  }
  if (paths.length === 0) return;
  const archive = `${folder}.tar`;
  const wanted = paths.length > pathsMax ? [] : ['--', ...paths];
  await git(repository, 'archive', '--format=tar', '-o', archive, to, ...wanted);
  await execa('tar', ['-xmf', archive, '-C', folder], { stdin: 'ignore' });
  await rm(archive);
}
