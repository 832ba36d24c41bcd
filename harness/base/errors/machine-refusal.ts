/**
 * What the machine refuses: room, files, processes, memory. No bug and no bad request, so that what
 * was asked stays open.
 */
import { Unavailable } from './errors.js';

/** What to do about an error of errno(3) that a person can do something about. */
const remedies: Readonly<Record<string, string>> = {
  ENOSPC: 'make room on that disk: df -h prints how much there is',
  EDQUOT: 'make room in your quota on that disk: quota prints how much there is',
  EFBIG: 'raise the limit on the size of files: ulimit -f unlimited',
  EMFILE: 'raise the limit on open files: ulimit -n 4096',
  ENFILE: 'too many files are open on this machine: end some of its programs',
  EAGAIN: 'raise the limit on processes and threads: ulimit -u',
  ENOMEM: 'give it more memory: free -m prints how much there is, and ulimit -v what is allowed',
  EACCES: 'use a folder that you may write to',
  EPERM: 'use a folder that you may write to',
  EROFS: 'use a folder that can be written to',
  EIO: 'check the state of that disk: dmesg',
  ERR_WORKER_INIT_FAILED: 'raise the limits on processes, threads and memory: ulimit -u, ulimit -v',
  ERR_WORKER_OUT_OF_MEMORY: 'give it more memory: NODE_OPTIONS=--max-old-space-size=8192',
};

/**
 * What strerror(3) says of them, as other programs print it; and the signals that stand for one.
 */
const words: Readonly<Record<string, string>> = {
  'No space left on device': 'ENOSPC',
  'Disk quota exceeded': 'EDQUOT',
  'File too large': 'EFBIG',
  SIGXFSZ: 'EFBIG',
  'File size limit exceeded': 'EFBIG',
  'Too many open files in system': 'ENFILE',
  'Too many open files': 'EMFILE',
  'Resource temporarily unavailable': 'EAGAIN',
  'Cannot fork': 'EAGAIN',
  'Cannot allocate memory': 'ENOMEM',
  'failed to allocate': 'ENOMEM',
  'Read-only file system': 'EROFS',
  'Input/output error': 'EIO',
};

/**
 * What to do about what another program says that the machine refused it; nothing where it says no
 * such thing.
 */
export function remediesFor(message: string): readonly string[] {
  const [found] = Object.entries(words).filter(([word]) => message.includes(word));
  const remedy = found === undefined ? undefined : remedies[found[1]];
  return remedy === undefined ? [] : [remedy];
}

/** What V8 says where a text or a buffer would be larger than it can be. */
const tooLarge =
  /^(Invalid string length|Array buffer allocation failed|Invalid typed array length)/;

/**
 * The error as the environment's failure, where it is one: of the system (Node.js, "Class:
 * SystemError": it has `code` and `syscall`), or of memory. An `Unavailable` is one already.
 * Undefined for every other error.
 */
export function refusedByMachine(error: unknown): Unavailable | undefined {
  if (error instanceof Unavailable) return error;
  if (!(error instanceof Error)) return undefined;
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (error instanceof RangeError && tooLarge.test(error.message))
    return new Unavailable(`too much for this program: ${error.message}`, ['ask for less at once']);
  if (typeof code !== 'string' || (typeof syscall !== 'string' && !code.startsWith('ERR_WORKER_')))
    return undefined;
  const remedy = remedies[code];
  return new Unavailable(
    `the machine refused: ${error.message}`,
    remedy === undefined ? [] : [remedy],
  );
}
