/** Frames that come to no table where the kernel is the datapath: no flow counts them. */
import { reservedPorts } from '../../openflow/syntax/ports.js';
import { bottomOfStack, isMpls, isTag } from '../../packet/flow-key/flow-key.js';
import { viewOf } from '../../packet/bytes/header-layout.js';
import type { PortLocation } from '../model-bridge.js';
import type { ModelNode } from '../model-node.js';

const typePlace = 12;
const tagLength = 4;
/** Of a tag, and of the type that has to stand behind it. */
const shortestTag = 6;
const entryLength = 4;

/** Why a frame is lost that comes in at a port; undefined where it is not. */
export function lostInKernel(
  { behaviour }: Pick<ModelNode, 'behaviour'>,
  { number }: Pick<PortLocation, 'number'>,
  frame: Uint8Array,
): string | undefined {
  if (behaviour.datapath !== 'in the kernel') return undefined;
  if (isCutOffBeforeSwitch(number, frame))
    return 'Linux drops a frame that ends behind its VLAN tag';
  return hasUnreadableKey(frame)
    ? 'ovs-vswitchd does not read the key that the kernel makes of a tag or a stack of labels ' +
        'that is cut off'
    : undefined;
}

/**
 * Linux takes the tag off a frame that comes in before the switch has it, and drops it where the
 * type behind the tag has no two bytes behind it (net/core/skbuff.c, skb_vlan_untag). What the
 * bridge's own device sends does not come in.
 */
function isCutOffBeforeSwitch(port: number, frame: Uint8Array): boolean {
  return (
    port !== reservedPorts.LOCAL &&
    isTag(typeAt(frame, typePlace)) &&
    frame.length < typePlace + shortestTag + 2
  );
}

/**
 * To the kernel a second tag without a type behind it is none, and a stack without a bottom has no
 * labels (net/openvswitch/flow.c, parse_vlan_tag, key_extract_l3l4): what it then says of the
 * packet is an error to ovs-vswitchd (lib/odp-util.c, parse_8021q_onward, parse_l2_5_onward).
 */
function hasUnreadableKey(frame: Uint8Array): boolean {
  let place = typePlace;
  for (let tags = 0; tags < 2 && isTag(typeAt(frame, place)); tags++) {
    if (frame.length < place + shortestTag) return tags > 0;
    place += tagLength;
  }
  return isMpls(typeAt(frame, place)) && !hasBottom(frame, place + 2);
}

function hasBottom(frame: Uint8Array, start: number): boolean {
  const view = viewOf(frame);
  for (let at = start; at + entryLength <= frame.length; at += entryLength)
    if ((view.getUint32(at) & bottomOfStack) !== 0) return true;
  return false;
}

function typeAt(frame: Uint8Array, place: number): number {
  return ((frame[place] ?? 0) << 8) | (frame[place + 1] ?? 0);
}
