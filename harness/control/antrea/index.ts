/**
 * Antrea: what its agents program on every node, as a pure function of the cluster. Source of the
 * flows of 0.8: the seed "Antrea OVS Pipeline"; docs/antrea-pipeline.md says where it contradicts
 * itself and what holds here, and where those of 1.3 come from.
 */
import { refuseUnplayed } from '../../kube/handled/refuse-unplayed.js';
import type { Network } from '../../kube/objects.js';
import { sha256 } from '../../base/files/digest.js';
import { InputError } from '../../base/errors/errors.js';
import { checkAntreaTopology } from '../../../topologies/antrea/antrea-topology.js';
import { type Allocation, type NodePlan } from '../../domain/plan/cluster-plan.js';
import { type ControlPlane } from '../../domain/plan/control-plane.js';
import { type BridgePlan } from '../../domain/plan/bridge-plan.js';
import { type TunnelType } from '../../domain/plan/port-plan.js';
import { podsOf, type Topology } from '../../domain/topology.js';
import { externalHosts } from '../external-hosts.js';
import type { Numbers } from '../allocate.js';
import { routers } from '../routers.js';
import { antreaPromises } from '../../intent/antrea/promises.js';
import { hosts } from './hosts.js';
import {
  gatewayPort,
  globalVirtualMac,
  integrationBridge,
  knownOfUnderlay,
  tunnelPort,
  viewFrom,
  type NodeView,
} from './node-view.js';
import { knownDivergences } from './known-divergences.js';
import { pipelines, type PipelineVersion } from './pipeline.js';
import { type BridgeProgram } from './bridge-program.js';
import { sweep } from './sweep.js';
import { windowsNode } from './windows/plan.js';
import { hostServices } from './windows/services.js';

export { pipelineVersions, type PipelineVersion } from './pipeline.js';

/**
 * Antrea with one version of its pipeline. Planning throws InputError when the topology is not one
 * that could exist, or does not say what Antrea has to know (see `checkAntreaTopology`).
 */
export function antrea(version: PipelineVersion): ControlPlane<Network> {
  return {
    name: `antrea-${version}`,
    promises: antreaPromises,
    known: knownDivergences,
    plan(network, before) {
      const topology = checkAntreaTopology(network);
      refuseUnplayed(network, 'antrea');
      refuseGlobalVirtualMac(topology);
      const outside = [...externalHosts(topology), ...routers(topology)];
      const nodes = topology.nodes.map((node) =>
        planNode(
          viewFrom(
            node,
            topology,
            before?.nodes.find((held) => held.node === node.name),
          ),
          topology.tunnel,
          version,
        ),
      );
      return { nodes, ...(outside.length === 0 ? {} : { externalHosts: outside }) };
    },
    sweep,
    restarted: (before, restarted) => ({
      ...before,
      nodes: before.nodes.map((node) =>
        node.node === restarted ? { ...node, allocation: nextRound(node.allocation) } : node,
      ),
    }),
  };
}

function planNode(view: NodeView, tunnel: TunnelType, version: PipelineVersion): NodePlan {
  const { round, ids, firstId, groups = {}, firstGroup } = view.allocation;
  const { bridges, hosts, pipes }: Pick<NodePlan, 'bridges' | 'hosts' | 'pipes'> =
    view.node.os === 'windows'
      ? windowsNode(view, tunnel, programOf(view, version))
      : linuxNode(view, tunnel, version);
  const plan = {
    node: view.node.name,
    bridges: bridges.map((bridge) => ({
      ...bridge,
      flows: bridge.flows.map((flow) => withRound(flow, round)),
    })),
    hosts,
    ...(view.node.link === undefined ? {} : { link: view.node.link }),
    ...(pipes === undefined ? {} : { pipes }),
  };
  const ofGroups: Pick<Allocation, 'groups' | 'firstGroup'> =
    version === '0.8' || (round === 0 && Object.keys(groups).length === 0)
      ? {}
      : { groups, ...(firstGroup === undefined ? {} : { firstGroup }) };
  const isGiven = round > 0 || Object.keys(ids).length > 0 || ofGroups.groups !== undefined;
  return isGiven ? { ...plan, allocation: { round, ids, firstId, ...ofGroups } } : plan;
}

/**
 * @throws InputError for a Windows node under a pipeline that leaves Services to kube-proxy's rules
 *   in the node's stack, which Windows has none of.
 */
function programOf(view: NodeView, version: PipelineVersion): BridgeProgram {
  if (version === '0.8')
    throw new InputError(
      `node "${view.node.name}" runs Windows, and antrea-0.8 has no AntreaProxy, which ` +
        `Windows nodes need; use antrea('1.3')`,
    );
  const { flows, groups } = pipelines[version](view);
  return { flows: [...flows, ...hostServices(view)], groups };
}

function linuxNode(
  view: NodeView,
  tunnel: TunnelType,
  version: PipelineVersion,
): Pick<NodePlan, 'bridges' | 'hosts'> {
  return {
    bridges: [pipelineBridge(view, tunnel, version), underlayBridge(view)],
    hosts: hosts(view),
  };
}

/**
 * An agent that restarts finds ports with their numbers, but knows no rule and no Service any more.
 * Its ids begin behind those on the switch: a conjunction of both rounds would let through what
 * neither of them does, and by a group of both a Service that is gone would get to endpoints of
 * another one.
 */
function nextRound(
  { round, ids, firstId, groups, firstGroup = 1 }: Allocation = { round: 0, ids: {}, firstId: 1 },
): Allocation {
  return {
    round: round + 1,
    ids: {},
    firstId: lastUsed(ids, firstId),
    ...(groups === undefined ? {} : { groups: {}, firstGroup: lastUsed(groups, firstGroup) }),
  };
}

function lastUsed(numbers: Numbers, first: number): number {
  return Math.max(first - 1, ...Object.values(numbers)) + 1;
}

/**
 * Antrea (pkg/agent/openflow/cookie): the round is in the upper 16 bits of the cookie. Flows that
 * learn have a cookie of their own already.
 */
function withRound(flow: string, round: number): string {
  return round === 0 || flow.startsWith('cookie=')
    ? flow
    : `cookie=0x${(BigInt(round) << 48n).toString(16)},${flow}`;
}

/** br-int: the pods, the gateway and the tunnel, and all of the pipeline. */
function pipelineBridge(view: NodeView, tunnel: TunnelType, version: PipelineVersion): BridgePlan {
  const { flows, groups } = pipelines[version](view);
  return {
    name: integrationBridge,
    mac: `02:${sha256(`br-int ${view.node.name}`)
      .slice(0, 10)
      .replaceAll(/..(?=.)/g, '$&:')}`,
    ports: [
      ...(view.mode === 'noEncap' ? [] : [{ kind: 'tunnel', ...tunnelPort, tunnel } as const]),
      { kind: 'internal', ...gatewayPort, mac: view.node.gateway.mac },
      ...view.pods.map(({ port }) => ({ kind: 'endpoint', ...port }) as const),
    ],
    flows,
    ...(groups.length === 0 ? {} : { groups }),
  };
}

/**
 * br-phys: the node's own network card, with the address that tunnels leave from. Not Antrea's, so
 * it only switches.
 */
function underlayBridge(view: NodeView): BridgePlan {
  const { underlay } = view.node;
  return {
    name: 'br-phys',
    mac: underlay.mac,
    underlay: {
      ip: underlay.ip,
      prefixLength: underlay.prefixLength,
      ...knownOfUnderlay(view),
    },
    ports: [{ kind: 'uplink', name: 'uplink', ofport: 1, mac: underlay.mac }],
    flows: ['priority=0,actions=NORMAL'],
  };
}

function refuseGlobalVirtualMac(topology: Topology): void {
  const holders = [
    ...podsOf(topology).map(({ pod }) => pod),
    ...topology.nodes.map(({ name, gateway }) => ({
      name: `the gateway of ${name}`,
      mac: gateway.mac,
    })),
  ];
  const holder = holders.find(({ mac }) => mac === globalVirtualMac);
  if (holder !== undefined)
    throw new InputError(
      `${holder.name} has the MAC address ${globalVirtualMac}, which Antrea keeps for traffic ` +
        'in tunnels; give it another',
    );
}
