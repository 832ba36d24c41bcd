/** Whether a switch can send through its tunnels. */
import { Unavailable } from '../../../base/errors/errors.js';
import type { NodePlan } from '../../../domain/plan/cluster-plan.js';
import { flowBased } from '../../../domain/plan/port-plan.js';
import type { Daemon } from '../../../ovs/process/daemon.js';
import { setNeighbours } from '../quiesce/native-tunnel-neighbours.js';
import { reapplyTunnelRoutes } from './underlay.js';

/**
 * Asks the switch itself whether it can build the headers of the planned tunnels: it makes ports of
 * types that its userspace datapath cannot send through, and would drop every packet.
 */
export async function checkTunnels(plan: NodePlan, vswitchd: Daemon): Promise<void> {
  const { name, unixctl } = vswitchd;
  await setNeighbours(plan, unixctl);
  const known = plan.bridges.flatMap(({ underlay }) => underlay?.neighbours ?? []);
  for (const bridge of plan.bridges) {
    for (const port of bridge.ports) {
      if (port.kind !== 'tunnel') continue;
      const { remote_ip: remote } = port.options ?? flowBased;
      // Of one that is not known it would ask, and somebody would answer.
      const neighbour =
        remote === 'flow'
          ? known.find(({ ip }) => !ip.includes(':'))
          : known.find(({ ip }) => ip === remote);
      if (neighbour === undefined) continue;
      const trace = () =>
        unixctl.call(
          'ofproto/trace-packet-out',
          bridge.name,
          'ip',
          `set_field:${neighbour.ip}->${neighbour.ip.includes(':') ? 'tun_ipv6_dst' : 'tun_dst'},` +
            `output:${port.ofport}`,
        );
      let output = await trace();
      if (whyNoHeader(output) !== undefined && (await reapplyTunnelRoutes(plan, vswitchd)))
        output = await trace();
      const why = whyNoHeader(output);
      if (why === undefined) continue;
      throw new Unavailable(
        `${name} cannot tunnel by ${port.tunnel}: ${why}`,
        ['use a type of tunnel that the userspace datapath has: geneve, vxlan, gre'],
        output
          .split('\n')
          .filter((line) => /(->|>>) /.test(line))
          .map((line) => line.trim()),
      );
    }
  }
}

function whyNoHeader(trace: string): string | undefined {
  return />> (native tunnel header build.*)/.exec(trace)?.[1];
}
