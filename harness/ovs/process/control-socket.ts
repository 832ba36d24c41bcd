/** Where a daemon can be asked what it does. */
import type { Image, Program } from './image.js';
import { socketPath } from '../workspace/socket-path.js';
import { runProgram } from './run-program.js';

const asked = new Map<string, Promise<boolean>>();

/**
 * Whether a program takes the place of its control socket: ovn-controller before OVN 23.06 does
 * not. What it takes, its own help says.
 */
export async function takesControlSocket(image: Image, program: Program): Promise<boolean> {
  const key = `${image.digest} ${program}`;
  const takes =
    asked.get(key) ??
    runProgram(image, program, ['--help']).then(({ stdout }) => /(^|\s)--unixctl=/.test(stdout));
  asked.set(key, takes);
  return await takes;
}

/** Where one listens that chooses it by itself (ovs-appctl(8), "--target"). */
export function usualControlSocket(dir: string, program: string, pid: number): string {
  return socketPath(dir, `${program}.${pid}.ctl`);
}
