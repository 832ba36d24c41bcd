/**
 * What is done to a node's switches beside packets: time, changes, links, connections that are
 * forgotten.
 */
import { assertNever, InputError, Unpredictable, Unsupported } from '../base/errors/errors.js';
import type { SwitchCall } from '../domain/switching.js';
import { flushConnections } from './conntrack/flush-connections.js';
import { cleanExpectations } from './conntrack/helpers/helper.js';
import { changeFlows } from './tables/flows/change-flows.js';
import { advance } from './tables/flows/expire-flows.js';
import type { ModelNode } from './model-node.js';

type OperatorCall = Exclude<SwitchCall, { readonly kind: 'receive' }>;

/** @throws InputError for what the switch would refuse. */
export function applyCall(node: ModelNode, call: OperatorCall): void {
  node.generations.learned++;
  if (call.kind !== 'advance') node.generations.program++;
  switch (call.kind) {
    case 'advance':
      return advance(node, call.ms);
    case 'change':
      node.answers.flowChanges++;
      changeFlows(node, call.bridge, call.lines);
      return advance(node, 0);
    case 'link':
      return setLink(node, call.port, call.state);
    case 'flush':
      if (
        node.behaviour.flushOfIcmp6 === 'the switch ends' &&
        call.tuple !== undefined &&
        /ct_nw_proto=58\b/.test(call.tuple)
      )
        throw new Unpredictable(
          'the model does not forget a connection of ICMPv6 by its tuple: Open vSwitch may ' +
            'end itself there',
        );
      flushConnections(node, call);
      return cleanExpectations(node.connections, node.controlConnections);
    case 'announce':
      throw new Unsupported(
        `${node.name}: packets that ovn-controller sends by itself are none of a node alone`,
      );
    default:
      return assertNever(call);
  }
}

function setLink(
  { name, bridges, downPorts }: ModelNode,
  port: string,
  state: 'up' | 'down',
): void {
  const wired = bridges.flatMap(({ plan }) => [
    plan.name,
    ...plan.ports
      .filter(({ kind }) => kind !== 'patch' && kind !== 'tunnel')
      .map((one) => one.name),
  ]);
  if (!wired.includes(port))
    throw new InputError(
      `port "${port}" of node ${name} has no link that goes up and down: ${wired.join(', ')} ` +
        'have one',
    );
  if (state === 'down') downPorts.add(port);
  else downPorts.delete(port);
}
