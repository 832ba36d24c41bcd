import { Unsupported } from '../../base/errors/errors.js';
import type { ClusterHost } from '../../domain/cluster-host.js';
import { nobodyHolds, type Intent } from '../../domain/intent.js';
import type { AntreaNetwork } from '../../../topologies/antrea/antrea-topology.js';
import { hostWithAddress } from '../kubernetes/cluster-hosts.js';
import { refuseUndefined } from '../kubernetes/datagram.js';
import { nodePathBetween } from './path.js';

/** The seed's "Terminology": stands for every gateway at the other end of a tunnel. */
export const globalVirtualMac = 'aa:bb:cc:dd:ee:ff';

/**
 * Neighbours answer for themselves; for the gateway of another node the answer is the Global
 * Virtual MAC (the seed, "ARPResponderTable"). ARP does not cross nodes.
 */
export function intentOfArp(topology: AntreaNetwork, from: ClusterHost, target: string): Intent {
  refuseUndefined(topology, from, target);
  const destination = hostWithAddress(topology, target);
  if (destination === undefined) return { kind: 'denied', ...nobodyHolds(target) };
  if (target === destination.node.underlay.ip)
    throw new Unsupported(`nothing is promised about ARP for ${target} by ${from.name}`);
  if (destination.node === from.node) return { kind: 'resolves', ip: target, mac: destination.mac };
  const isTunnelled = nodePathBetween(topology, from.node, destination.node) === 'tunnel';
  if (destination.kind === 'node' && isTunnelled)
    return { kind: 'resolves', ip: target, mac: globalVirtualMac };
  if (from.kind === 'node' && !isTunnelled)
    throw new Unsupported(
      `nothing is promised about ARP of ${from.name} for ${target}, which it would ask the ` +
        'network between nodes for',
    );
  return { kind: 'denied', why: `${destination.name} is not on the subnet of ${from.name}` };
}
