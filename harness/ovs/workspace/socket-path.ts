import { join } from 'node:path';
import { InputError, Unavailable } from '../../base/errors/errors.js';
import { pathPart, pathPartBytesMin } from '../../base/files/path-part.js';

/** What `sun_path` holds beside the final zero (unix(7)). */
export const socketPathBytesMax = 107;

/**
 * The path of the unix socket `name` in `dir`, the name escaped, and shortened where the kernel
 * would not take it whole. @param suffix our own end of the file's name, such as `.port`.
 * @throws Unavailable when the kernel takes no name in that folder.
 */
export function socketPath(dir: string, name: string, suffix = ''): string {
  const room = socketPathBytesMax - Buffer.byteLength(join(dir, 'x')) + 1 - suffix.length;
  const whole = pathPart(name);
  if (whole.length <= room) return join(dir, `${whole}${suffix}`);
  if (room >= pathPartBytesMin) return join(dir, `${pathPart(name, room)}${suffix}`);
  throw new Unavailable(
    `the path of a unix socket has at most ${socketPathBytesMax} bytes, and ${dir} leaves too ` +
      'few of them',
    ['set TMPDIR to a folder with a shorter path'],
  );
}

/**
 * Where ovs-vswitchd that runs in `dir` listens for OpenFlow to a bridge. It makes the file's name
 * of the bridge's as it is (ovs-vswitchd(8)), so that not every name will do.
 * @throws InputError for a bridge that cannot be reached there.
 */
export function managementSocket(dir: string, bridge: string): string {
  const path = join(dir, `${bridge}.mgmt`);
  const refused = (why: string) => new InputError(`bridge ${JSON.stringify(bridge)}: ${why}`);
  if (bridge === '') throw refused('a bridge has a name');
  // vswitchd/bridge.c, add_del_bridges: it goes without such bridges, and says so in its log alone.
  if (/[/\\]/.test(bridge))
    throw refused('Open vSwitch takes no bridge with "/" or "\\" in its name');
  const length = Buffer.byteLength(path);
  if (length <= socketPathBytesMax) return path;
  throw refused(
    `its name is too long by ${length - socketPathBytesMax} bytes for a unix socket in ${dir}`,
  );
}
