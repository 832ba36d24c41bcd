/** What the datapath does with a frame at a port: out of it, or up the end of a tunnel. */
import { Unpredictable } from '../../../base/errors/errors.js';
import { reservedPorts } from '../../../openflow/syntax/ports.js';
import type { FlowKey } from '../../../packet/flow-key/flow-key.js';
import type { Packet } from '../../packet/packet.js';
import { datapathBytes } from './datapath-packet.js';
import type { DatapathExecution } from './datapath-execution.js';
import type { ModelNode } from '../../model-node.js';

/** An Ethernet header: what is cut off within it leaves no port. */
export const shortestFrame = 14;

/** Of every port that a switch gives no other. */
const usualMtu = 1500;
const tagLength = 4;

/** Ethernet's own header comes on top, and one tag (lib/netdev-dummy.c, netdev_dummy_send). */
function longestOf(frame: Uint8Array, mtu: number): number {
  const isTagged = frame[12] === 0x81 && frame[13] === 0x00;
  return mtu + shortestFrame + (isTagged ? tagLength : 0);
}

/**
 * What goes out of a port is gathered, and what does not fit through takes along all that is behind
 * it (lib/netdev-dummy.c, netdev_dummy_send).
 * @param key the packet as it left, where details are recorded.
 * @throws Unpredictable for what may be behind such a frame: how much is gathered is the datapath's
 *   own affair.
 */
export function deliver(
  { frameRun }: DatapathExecution,
  port: string,
  frame: Uint8Array,
  key?: FlowKey,
): void {
  if (frame.length < shortestFrame) return void frameRun.jammedPorts.push(port);
  const mtu = mtuOf(frameRun.node, port);
  if (frame.length > longestOf(frame, mtu)) {
    frameRun.jammedPorts.push(port);
    frameRun.steps.push({
      kind: 'drop',
      why: `${port} sends no frame of ${frame.length} bytes: its MTU is ${mtu}`,
    });
    return;
  }
  if (frameRun.jammedPorts.includes(port))
    throw new Unpredictable(
      'the model does not know whether a frame leaves a port behind one that is shorter than ' +
        "Ethernet's header or longer than the MTU: they go together, and what does not fit " +
        'takes the rest along',
    );
  frameRun.node.work.outputs++;
  if (!frameRun.node.downPorts.has(port))
    frameRun.outputs.push(key === undefined ? { port, frame } : { port, frame, key });
}

function mtuOf({ portsByName }: ModelNode, port: string): number {
  const place = portsByName.get(port);
  const { bridge, number } = place ?? {};
  const own = number === reservedPorts.LOCAL ? bridge?.plan.localMtu : undefined;
  return own ?? bridge?.ports.get(number ?? 0)?.mtu ?? usualMtu;
}

/** As the datapath has it. */
export function frameOf(
  { packetState, frameRun: { node } }: DatapathExecution,
  packet: Pick<Packet, 'frame' | 'layout' | 'baseKey'>,
): Uint8Array {
  return datapathBytes(packet, packetState, node.behaviour).frame;
}
