/**
 * The main loop of ovs-vswitchd, which takes packets from ports, runs bridges, and reads what it is
 * asked.
 */
import type { Unixctl } from '../../../ovs/unixctl.js';

/**
 * It goes round once before the daemon reads on: it tells what it uses where it begins its next
 * round, and what is asked behind that it reads at the end of that round (Open vSwitch
 * vswitchd/ovs-vswitchd.c, main; lib/unixctl.c, run_connection).
 */
export function oneMainLoopIteration(call: Unixctl['call']): Promise<unknown> {
  return call('memory/show');
}
