import { Unavailable } from '../../base/errors/errors.js';
import type { Image } from './image.js';
import { runProgram } from './run-program.js';

/**
 * `3.1.0`: what the image's ovs-vswitchd says of itself, without being brought up. @throws
 * Unavailable where it cannot be run, or says nothing of the kind.
 */
export async function versionOf(image: Image): Promise<string> {
  const { stdout, failure } = await runProgram(image, 'ovs-vswitchd', ['--version']);
  const version = /\(Open vSwitch\) (\S+)/.exec(stdout)?.[1];
  if (version === undefined)
    throw new Unavailable(
      `ovs-vswitchd of image ${image.name} does not say which version it is`,
      [],
      [failure ?? stdout.trim()],
    );
  return version;
}
