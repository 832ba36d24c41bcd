/** What a network has beside what any has, where Antrea programs it. */
import { cidrContains, ipv4Number, parseCidr } from '../../harness/base/addresses/mac-and-ipv4.js';
import { InputError, unknownName } from '../../harness/base/errors/errors.js';
import type { TunnelType } from '../../harness/domain/plan/port-plan.js';
import { checkTopology } from '../../harness/domain/topology-check.js';
import { type TopologyProblem } from '../../harness/domain/topology-problem.js';
import type { Node, Topology } from '../../harness/domain/topology.js';
import type { KubeObjects } from '../../harness/kube/objects.js';

export type { TunnelType } from '../../harness/domain/plan/port-plan.js';

export const tunnelTypes = ['geneve', 'vxlan', 'gre', 'stt'] as const satisfies TunnelType[];
export const trafficModes = ['encap', 'noEncap', 'hybrid'] as const;

/**
 * How pod traffic crosses nodes: in tunnels, by the network between nodes itself, or by that
 * network where nodes are neighbours there and in tunnels elsewhere.
 */
export type TrafficMode = (typeof trafficModes)[number];

export interface AntreaOptions {
  readonly mode: TrafficMode;
  readonly tunnel: TunnelType;
}

export type AntreaTopology = Topology & AntreaOptions;

/** With objects of Kubernetes, and with them where there are any. */
export type AntreaCluster = AntreaTopology & { readonly objects: KubeObjects };
export type AntreaNetwork = AntreaTopology & { readonly objects?: KubeObjects };

/**
 * The network as Antrea's. @throws InputError naming everything that is wrong with it, a line each,
 * and where it lacks what Antrea has to know.
 */
export function checkAntreaTopology<Network extends Topology>(
  network: Network,
): Network & AntreaOptions {
  checkTopology(network);
  const { mode, tunnel } = network as Partial<AntreaOptions>;
  if (mode === undefined || tunnel === undefined)
    throw new InputError(
      `topology "${network.name}": Antrea needs its ${mode === undefined ? 'mode' : 'tunnel'}: ` +
        (mode === undefined ? trafficModes : tunnelTypes).join(' or '),
    );
  if (!trafficModes.includes(mode)) throw unknownName('mode', mode, trafficModes);
  if (!tunnelTypes.some((known) => known === tunnel))
    throw unknownName('tunnel', tunnel, tunnelTypes);
  const antrea = { ...network, mode, tunnel };
  const problems = antreaProblems(antrea);
  if (problems.length > 0)
    throw new InputError(
      problems.map(({ message }) => `topology "${network.name}": mode: ${message}`),
    );
  return antrea;
}

/** What stands against Antrea on this network, beside what `topologyProblems` finds. */
export function antreaProblems({ mode, nodes }: AntreaTopology): readonly TopologyProblem[] {
  const [first, ...others] = nodes;
  const isApart = ({ underlay }: Node) =>
    first !== undefined &&
    !cidrContains(
      parseCidr(`${first.underlay.ip}/${first.underlay.prefixLength}`),
      ipv4Number(underlay.ip),
    );
  return mode === 'noEncap' && others.some(isApart)
    ? [
        {
          path: ['mode'],
          message:
            'noEncap needs all nodes on one network here, for routers know no pods: use hybrid ' +
            'or encap',
        },
      ]
    : [];
}
