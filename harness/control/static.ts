import { refuseLinks } from './refuse-links.js';
import { unknownName } from '../base/errors/errors.js';
import type { Topology } from '../domain/topology.js';
import type { ControlPlane } from '../domain/plan/control-plane.js';

/** Flows of a bridge as text: one flow a line as ovs-ofctl(8) reads it, `#` starts a comment. */
export interface BridgeFlowText {
  readonly bridge: string;
  /** The node whose bridge is meant; by default every node's. */
  readonly node?: string;
  readonly text: string;
  /** The file that `text` was read from: complaints about a flow name it, with line and column. */
  readonly file?: string;
}

/**
 * For a pipeline of one's own: the ports and hosts of `base`, the flows of the named bridges from
 * text. Where two texts fit a bridge, the later one counts.
 * @throws InputError, when planning, for a bridge or node that `base` does not plan.
 */
export function staticFlows<Cluster extends Topology>(
  base: ControlPlane<Cluster>,
  texts: readonly BridgeFlowText[],
): ControlPlane<Cluster> {
  return {
    name: `static flows on ${base.name}`,
    promises: base.promises,
    written: true,
    plan(cluster, before) {
      refuseLinks(cluster, 'static flows');
      const planned = base.plan(cluster, before);
      const { nodes } = planned;
      const nodeNames = nodes.map(({ node }) => node);
      const bridgeNames = [
        ...new Set(nodes.flatMap(({ bridges }) => bridges.map(({ name }) => name))),
      ];
      for (const { node, bridge } of texts) {
        if (node !== undefined && !nodeNames.includes(node))
          throw unknownName('node', node, nodeNames);
        if (!bridgeNames.includes(bridge)) throw unknownName('bridge', bridge, bridgeNames);
      }
      const textOf = (node: string, bridge: string) =>
        texts.findLast((text) => text.bridge === bridge && (text.node ?? node) === node);
      return {
        ...planned,
        nodes: nodes.map((plan) => ({
          ...plan,
          bridges: plan.bridges.map((bridge) => {
            const own = textOf(plan.node, bridge.name);
            return own === undefined
              ? bridge
              : {
                  ...bridge,
                  flows: own.text.split('\n'),
                  ...(own.file === undefined ? {} : { flowsFile: own.file }),
                };
          }),
        })),
      };
    },
  };
}
