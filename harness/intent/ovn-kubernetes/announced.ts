/**
 * What the gateway router of a node makes known on the network between nodes, where its way out is
 * of type localnet: its own address and the EgressIPs that are at the node (ovn-nb(5),
 * Logical_Switch_Port, "nat-addresses"; ovn-controller(8), "garp-max-timeout-sec").
 */
import { Unsupported } from '../../base/errors/errors.js';
import { announcementCopies } from '../../domain/announcing.js';
import type { Intent } from '../../domain/intent.js';
import type { Announced } from '../../domain/test-vector.js';
import type { Node, Topology } from '../../domain/topology.js';
import type { OvnKubernetesTopology } from '../../../topologies/ovn-kubernetes/ovn-kubernetes-topology.js';

export function announcedIntent(
  network: Topology,
  { name, underlay: { mac } }: Node,
  { copy, address }: Announced,
): Intent {
  const { wayOut, family, gateways, egressIps = [] } = network as OvnKubernetesTopology;
  if (wayOut === undefined)
    throw new Unsupported(`nothing is announced of ${name}: its way out is no network of OVN's`);
  const own = gateways[name];
  const ips = [
    ...(own === undefined ? [] : [own]),
    ...egressIps.filter(({ node }) => node === name).map(({ ip }) => ip),
  ];
  const what = family === 'ipv6' ? [mac] : ips.map((ip) => `${ip} is at ${mac}`);
  const asked = address === undefined ? what : what.filter((one) => one.startsWith(`${address} `));
  return { kind: 'announced', port: 'uplink', what: copy > announcementCopies ? [] : asked };
}
