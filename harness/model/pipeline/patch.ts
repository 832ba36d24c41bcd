/**
 * Patch ports: the packet goes on in another bridge of the node, which knows nothing of registers,
 * tunnels and connections (ovs-vswitchd.conf.db(5), "type").
 */
import { assert } from '../../base/errors.js';
import { reservedPorts } from '../../openflow/ports.js';
import { clearWords, word, type FlowKey } from '../../packet/flow-key.js';
import type { ModelBridge } from '../node.js';
import { copyOf, type Packet } from '../packet.js';
import { apart, clone, settleBeforeClone } from './forks.js';
import { forgiveAll } from './labels.js';
import { descend } from './tables.js';
import { blame, type Translation } from './translation.js';

export function sendThroughPatch(
  at: Translation,
  peer: { readonly bridge: string; readonly port: string },
): void {
  const other = at.passage.node.bridges.find(({ plan }) => plan.name === peer.bridge);
  const inPort = other?.plan.ports.find(({ name }) => name === peer.port)?.ofport;
  assert(
    other !== undefined && inPort !== undefined,
    `port ${peer.port} of bridge ${peer.bridge} is the other end of a patch port`,
  );
  at.passage.steps.push({ kind: 'patch', ...blame(at), bridge: peer.bridge, port: peer.port });
  const { packet } = at;
  const { frame, layout, arrived, isAsRead } = passOn(at, other, inPort, copyOf(packet));
  at.packet = { ...packet, frame, layout, arrived, isAsRead: packet.isAsRead && isAsRead };
}

/**
 * The packet enters another bridge, and is returned as it was left there. Whatever happens there,
 * also what fails, it goes on here as if nothing had.
 */
export function passOn(
  at: Translation,
  other: ModelBridge,
  inPort: number,
  entering: Packet,
): Packet {
  const { bridge, sees, packet, stack, actionSet, hasGroupInSet, mirrored } = at;
  Object.assign(at, {
    bridge: other,
    sees: at.passage.edits.length,
    packet: entering,
    stack: [],
    actionSet: [],
    hasGroupInSet: false,
    ...(other === bridge ? {} : { mirrored: 0 }),
  });
  forget(entering.key, inPort);
  const { recording } = at;
  const metadata = recording?.metadata ?? 'as it came';
  if (recording !== undefined) recording.metadata = 'begun anew';
  // The flow that is found there is carried out as a clone (ofproto-dpif-xlate.c,
  // patch_port_output); where none is, as a clone without actions.
  apart(
    at,
    () => {
      settleBeforeClone(at);
      descend(at, 0, inPort, 'by its fields', clone);
    },
    at.isLast ? 'last' : 'others behind',
  );
  if (recording !== undefined) recording.metadata = metadata;
  forgiveAll(at);
  const left = at.packet;
  Object.assign(at, {
    bridge,
    sees,
    packet,
    stack,
    actionSet,
    hasGroupInSet,
    exits: false,
    ...(other === bridge ? {} : { mirrored }),
  });
  return left;
}

function forget(key: FlowKey, inPort: number): void {
  key[word.inPort] = inPort;
  clearWords(key, word.reg, word.conjId);
  clearWords(key, word.tunId, word.pktMark);
  key[word.actsetOutput] = reservedPorts.UNSET;
}
