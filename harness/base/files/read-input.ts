/** Files that a user names: read to their end, or refused, whatever they are. */
import { constants, createReadStream, openSync, readFileSync, statSync, type Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { isatty, ReadStream } from 'node:tty';
import { withDeadline } from '../concurrency/deadline.js';
import { InputError, Unavailable } from '../errors/errors.js';

/** Of the environment: the most that one input may hold, in MB (1,000,000 bytes). */
export const limitVariable = 'FLOWBED_INPUT_MB';
const defaultLimitMb = 64;
/** A pipe or a terminal may stay silent so long. */
const defaultSilenceMs = 120_000;

/** @throws InputError when the variable is no number of MB. */
export function inputLimitMb(text: string | undefined = process.env[limitVariable]): number {
  if (text === undefined || text === '') return defaultLimitMb;
  if (!/^\d{1,6}$/.test(text) || Number(text) === 0) {
    throw new InputError(
      `${limitVariable}: expected a number of MB from 1 to 999999, got "${text}"`,
    );
  }
  return Number(text);
}

/**
 * What `file` holds. A pipe, as `<(ovs-ofctl dump-flows br0)` gives it, is read to its end.
 * @throws InputError where it cannot be read, holds more than `limitMb`, or is silent for
 *   `silenceMs`.
 */
export async function readInput(
  file: string,
  limitMb = inputLimitMb(),
  silenceMs = defaultSilenceMs,
): Promise<Buffer> {
  const kind = kindOf(await stat(file).catch((error: unknown) => refuse(file, error)));
  if (kind === 'folder') throw new InputError('cannot read it: it is a folder', { file });
  const stream = opened(file, kind);
  try {
    return await readAll(stream, file, limitMb, silenceMs);
  } finally {
    stream.destroy();
  }
}

/**
 * A regular file's text, at once; for what is listed in a folder, where nobody means a pipe.
 * @throws InputError where it is another kind of file, cannot be read, or holds more than
 *   `limitMb`.
 */
export function readRegularFile(file: string, limitMb = inputLimitMb()): string {
  try {
    const status = statSync(file);
    if (!status.isFile()) throw new InputError('cannot read it: it is no regular file', { file });
    if (status.size > limitMb * 1e6) throw tooLarge(file, limitMb);
    return readFileSync(file, 'utf8');
  } catch (error) {
    return refuse(file, error);
  }
}

type Kind = 'file' | 'folder' | 'pipe' | 'device';

function kindOf(status: Stats): Kind {
  if (status.isDirectory()) return 'folder';
  if (status.isFIFO() || status.isSocket()) return 'pipe';
  return status.isCharacterDevice() ? 'device' : 'file';
}

/**
 * Nothing that waits for somebody keeps a thread: a program with such a thread does not end. A pipe
 * to which nobody writes yet is waited for (fifo(7)).
 */
function opened(file: string, kind: Kind): Readable {
  try {
    if (kind === 'file') return createReadStream(file);
    const fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    if (kind === 'pipe') return new Socket({ fd, readable: true, writable: false });
    return isatty(fd) ? new ReadStream(fd) : createReadStream(file, { fd });
  } catch (error) {
    return refuse(file, error);
  }
}

async function readAll(
  stream: Readable,
  file: string,
  limitMb: number,
  silenceMs: number,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  const read = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  for (;;) {
    const next = withDeadline(read.next(), silenceMs, 'more of it');
    const chunk = await next.catch((error: unknown) => refuse(file, error));
    if (chunk.done === true) return Buffer.concat(chunks);
    chunks.push(chunk.value);
    size += chunk.value.length;
    if (size > limitMb * 1e6) throw tooLarge(file, limitMb);
  }
}

function tooLarge(file: string, limitMb: number): InputError {
  const message =
    `it holds more than ${limitMb} MB, which is the most that is read; ` +
    `to raise the limit: ${limitVariable}=${limitMb * 10}`;
  return new InputError(message, { file });
}

function refuse(file: string, error: unknown): never {
  if (error instanceof InputError) throw error;
  const isSilent = error instanceof Unavailable;
  const why = error instanceof Error ? error.message : String(error);
  throw new InputError(`${isSilent ? 'cannot read it to its end' : 'cannot read it'}: ${why}`, {
    file,
  });
}
