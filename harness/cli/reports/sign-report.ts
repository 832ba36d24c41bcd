/** Signatures of a file: by ssh-keygen -Y, or by minisign, as the key says. */
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { execa } from 'execa';
import { InputError, Unavailable } from '../../base/errors/errors.js';
import { readInput } from '../../base/files/read-input.js';

/** What a file is signed as being: another use of the key signs nothing of ours. */
const namespace = 'flowbed-conformance';

/** @returns the file of the signature. @throws InputError where the key cannot be used. */
export async function signFile(file: string, key: string): Promise<string> {
  if (isOfMinisign((await readInput(key)).toString('utf8'))) {
    await run('minisign', ['-S', '-s', key, '-t', namespace, '-m', file]);
    return `${file}.minisig`;
  }
  await run('ssh-keygen', ['-Y', 'sign', '-f', key, '-n', namespace, file]);
  return `${file}.sig`;
}

/**
 * @param signers allowed signers of ssh-keygen(1), or a public key of minisign. @returns who signed
 *   it. @throws InputError where nobody of them did, or another file.
 */
export async function signerOf(file: string, signers: string): Promise<string> {
  const allowed = (await readInput(signers)).toString('utf8');
  if (isOfMinisign(allowed)) {
    const comment = await run('minisign', ['-V', '-Q', '-p', signers, '-m', file]);
    if (comment.trim() !== namespace)
      throw new InputError(
        `${file}.minisig signs something else: its trusted comment is "${comment.trim()}", ` +
          `expected "${namespace}"`,
      );
    return allowed.split('\n')[0]?.replace('untrusted comment: ', '') ?? '';
  }
  const signature = `${file}.sig`;
  const found = await run('ssh-keygen', [
    ...['-Y', 'find-principals', '-s', signature, '-f', signers],
  ]);
  const [principal = ''] = found.split('\n');
  await run(
    'ssh-keygen',
    ['-Y', 'verify', '-f', signers, '-I', principal, '-n', namespace, '-s', signature],
    await readFile(file),
  );
  return principal;
}

/** All of minisign's files begin with that. */
function isOfMinisign(text: string): boolean {
  return text.startsWith('untrusted comment:');
}

const packages = { 'ssh-keygen': 'openssh-client', minisign: 'minisign' } as const;

/** @throws InputError with what it says where a key or signature is wrong. */
async function run(
  program: keyof typeof packages,
  args: readonly string[],
  input?: Uint8Array,
): Promise<string> {
  const ended = await execa(program, args, {
    reject: false,
    timeout: 60_000,
    ...(input === undefined ? { stdin: 'ignore' as const } : { input }),
  });
  if (ended.exitCode === 0) return ended.stdout;
  if (ended.exitCode === undefined)
    throw new Unavailable(`cannot run ${program}`, [
      `install it (Debian: apt-get install ${packages[program]})`,
    ]);
  const [said = ''] = `${ended.stderr}\n${ended.stdout}`.trim().split('\n');
  const what = program === 'minisign' ? (args[0] ?? '') : (args[1] ?? '');
  throw new InputError(`${program} ${what} in ${dirname(args.at(-1) ?? '')}: ${said}`);
}
