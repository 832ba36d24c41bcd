/**
 * The main loop of ovs-vswitchd, which takes packets from ports, runs bridges, and reads what it is
 * asked.
 */
import type { Unixctl } from '../../../ovs/unixctl.js';

/**
 * It runs once before the daemon reads on: it reports what it uses where its next iteration begins,
 * and reads a request behind that at the end of that iteration (Open vSwitch
 * vswitchd/ovs-vswitchd.c, main; lib/unixctl.c, run_connection).
 */
export function oneMainLoopIteration(call: Unixctl['call']): Promise<unknown> {
  return call('memory/show');
}
