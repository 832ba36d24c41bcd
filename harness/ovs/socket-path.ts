import { join } from 'node:path';
import { Unavailable } from '../base/errors.js';

/** What `sun_path` holds beside the final zero (unix(7)). */
const longest = 107;

/** The path of a unix socket in `dir`. @throws Unavailable when it is longer than the kernel takes. */
export function socketPath(dir: string, name: string): string {
  const path = join(dir, name);
  const length = Buffer.byteLength(path);
  if (length <= longest) return path;
  throw new Unavailable(`the path of a unix socket has at most ${longest} bytes, ${path} has ${length}`, ['set TMPDIR to a folder with a shorter path']);
}
