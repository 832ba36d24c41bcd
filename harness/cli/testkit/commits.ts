/** Git repositories for tests, made in one go: branches of commits from a common beginning. */
import { execFileSync } from 'node:child_process';

export interface Branch {
  readonly name: string;
  /** Each commit's subject, and what files hold from it on. */
  readonly commits: readonly {
    readonly subject: string;
    readonly files: Readonly<Record<string, string>>;
  }[];
}

/** @returns ids of the commits of each branch, in order, the common beginning first. */
export function makeRepository(
  folder: string,
  beginning: Readonly<Record<string, string>>,
  branches: readonly Branch[],
): Readonly<Record<string, readonly string[]>> {
  const git = (args: readonly string[], input = '') =>
    execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8', input });
  git(['init', '-q']);
  const stream = [commitText('refs/heads/begin', 'begin', 0, beginning)];
  for (const { name, commits } of branches)
    for (const [index, { subject, files }] of commits.entries())
      stream.push(
        commitText(
          `refs/heads/${name}`,
          subject,
          index + 1,
          files,
          index === 0 ? 'refs/heads/begin' : undefined,
        ),
      );
  git(['fast-import', '--quiet'], stream.join(''));
  git(['checkout', '-q', 'begin']);
  return Object.fromEntries(
    branches.map(({ name }) => [name, git(['rev-list', '--reverse', name]).trim().split('\n')]),
  );
}

function commitText(
  ref: string,
  subject: string,
  time: number,
  files: Readonly<Record<string, string>>,
  from?: string,
): string {
  return [
    `commit ${ref}\n`,
    `committer test <test@example.org> ${1_700_000_000 + time} +0000\n`,
    data(subject),
    from === undefined ? '' : `from ${from}\n`,
    ...Object.entries(files).map(([file, text]) => `M 100644 inline ${file}\n${data(text)}`),
    '\n',
  ].join('');
}

function data(text: string): string {
  return `data ${Buffer.byteLength(text)}\n${text}\n`;
}
