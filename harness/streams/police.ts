/**
 * A policer at a port, as Open vSwitch sets one up (ovs-vswitchd.conf.db(5), "Ingress Policing").
 */
import { systemProgram } from '../ovs/process/system-program.js';
import { inNamespace } from '../testbeds/netns/carrier.js';
import { runSystemProgram } from '../testbeds/netns/run-system-program.js';

/** @param place the process that holds the port's namespace. */
export async function police(place: number, port: string, rateMbit: number): Promise<void> {
  const tc = (...words: readonly string[]) =>
    runSystemProgram(`the policer at ${port}`, inNamespace(place, [systemProgram('tc'), ...words]));
  await tc('qdisc', 'add', 'dev', port, 'handle', 'ffff:', 'ingress');
  await tc(
    ...['filter', 'add', 'dev', port, 'parent', 'ffff:', 'protocol', 'all', 'matchall'],
    ...['action', 'police', 'rate', `${rateMbit}mbit`, 'burst', '64k', 'conform-exceed', 'drop'],
  );
}
