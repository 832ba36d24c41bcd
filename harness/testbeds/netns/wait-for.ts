import { systemProgram } from '../../ovs/process/system-program.js';
import { runSystemProgram } from './run-system-program.js';

/**
 * Time of the kernel: its tracker knows no other. In a world of virtual time it passes at once; on
 * a machine it passes as it does.
 */
export async function waitFor(ms: number): Promise<void> {
  if (ms > 0) await runSystemProgram('time', [systemProgram('sleep'), String(ms / 1000)]);
}
