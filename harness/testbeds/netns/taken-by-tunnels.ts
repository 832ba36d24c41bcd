/** Which frames the kernel's tunnels take. */
import type { NodePlan } from '../../domain/plan/cluster-plan.js';
import { formatIpv4, formatMac } from '../../base/addresses/mac-and-ipv4.js';

/**
 * Says of frames at a port's device whether a tunnel takes them, so that nobody there sees them: in
 * the kernel they cross the device where it ends, in ovs-vswitchd they do not (tnl_pop).
 */
export function takenByTunnels(
  { bridges }: NodePlan,
  port: string,
): (frame: Uint8Array) => boolean {
  const bridge = bridges.find(({ name }) => name === port);
  if (bridge?.underlay === undefined) return () => false;
  const { mac, underlay } = bridge;
  const types = new Set(
    bridges.flatMap(({ ports }) =>
      ports.flatMap((one) => (one.kind === 'tunnel' ? [one.tunnel] : [])),
    ),
  );
  return (frame) => {
    const view = Buffer.from(frame);
    if (view.length < 34 || view.readUInt16BE(12) !== 0x0800) return false;
    if (formatMac(view) !== mac || formatIpv4(view.readUInt32BE(30)) !== underlay.ip) return false;
    const protocol = view.readUInt8(23);
    if (protocol === 47) return types.has('gre');
    const transport = 14 + (view.readUInt8(14) & 15) * 4;
    if (protocol !== 17 || view.length < transport + 8) return false;
    const to = view.readUInt16BE(transport + 2);
    return (to === 6081 && types.has('geneve')) || (to === 4789 && types.has('vxlan'));
  };
}
