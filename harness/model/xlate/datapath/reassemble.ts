/**
 * Fragments in front of the tracker: they wait for each other, are seen by it as the packet that
 * they are together, and go on one by one.
 */
import { Unsupported } from '../../../base/errors/errors.js';
import { printActions } from '../../../openflow/actions/actions.js';
import { copyKey, fragment, word } from '../../../packet/flow-key/flow-key.js';
import { icmp6Types } from '../../../packet/protocols/ip/icmp6.js';
import { ipProtocols } from '../../../packet/protocols/ip/ipv4.js';
import type { Behaviour } from '../../behaviour.js';
import { addFragment, isFragment } from '../../conntrack/fragments/fragments.js';
import { natFragment } from '../../conntrack/fragments/nat-fragment.js';
import type { Tracked } from '../../conntrack/tracked.js';
import { applyNat } from '../../nat/apply-nat.js';
import { copyOf, type Packet } from '../../packet/packet.js';
import type { DatapathExecution } from './datapath-execution.js';
import type { Frozen } from '../frozen.js';

/** What the tracker sees in place of a packet. */
export type TrackerInput =
  | { readonly kind: 'packet' }
  /** What it is together with the others that waited for it; the fragments in their order. */
  | { readonly kind: 'whole'; readonly packet: Packet; readonly fragments: readonly Packet[] }
  | { readonly kind: 'invalid' }
  /** Nothing yet. */
  | { readonly kind: 'held' };

const itself: TrackerInput = { kind: 'packet' };

/** @param behind what the datapath still has to do with the packet when it was tracked. */
export function reassemble(
  run: DatapathExecution,
  packet: Packet,
  zone: number,
  behind: number,
): TrackerInput {
  if (!isFragment(packet)) return itself;
  const { node } = run.frameRun;
  const result = addFragment(
    node.fragments,
    copyOf(packet),
    `${zone} ${run.reassemblyKey ?? ''}`,
    node.nowMs,
    node.behaviour,
  );
  switch (result.kind) {
    case 'whole': {
      const [first = packet] = result.fragments;
      if (behind > 0)
        throw new Unsupported(
          'the model does not follow fragments that are tracked and then go on in the same flow',
        );
      if (result.fragments.some(({ key }) => key[word.inPort] !== packet.key[word.inPort]))
        throw new Unsupported(
          'the model does not follow fragments of one packet that come in at several ports',
        );
      const arrived = copyKey(first.baseKey);
      arrived[word.nwFrag] = 0;
      return {
        kind: 'whole',
        packet: { ...first, frame: result.frame, baseKey: arrived, padding: 0 },
        fragments: result.fragments,
      };
    }
    case 'refused':
      return itself;
    default:
      return result;
  }
}

/** The fragments of a packet, where it is translated as a whole. */
export function natFragments(
  { packet: { frame, layout, baseKey }, fragments }: Extract<TrackerInput, { kind: 'whole' }>,
  { nat }: Tracked,
  behaviour: Behaviour,
): readonly Packet[] {
  if (nat === undefined) return fragments;
  const whole = applyNat({ frame, layout, key: baseKey }, nat, behaviour);
  return fragments.map((piece) => natFragment(whole, piece));
}

/**
 * What continues with the packet of `frozen` in its place, and knows all that it knows beside its
 * bytes.
 */
export function withMetadataOf({ key }: Packet, piece: Packet): Packet {
  const own = copyKey(key);
  own.set(piece.key.subarray(word.ethSrc), word.ethSrc);
  return { ...piece, key: own };
}

/**
 * Whether a packet does not show its connection's ports: fragments other than the first, in old
 * versions, and those of ICMPv6 that could be taken for messages about neighbours.
 */
export function lacksPorts(
  { key, frame, layout: { l4 } }: Packet,
  { laterFragments }: Behaviour,
): boolean {
  if (((key[word.nwFrag] ?? 0) & fragment.later) === 0) return false;
  const [type, code] = frame.subarray(l4);
  return (
    laterFragments === 'without ports' ||
    (key[word.ctNwProto] === ipProtocols.icmp6 &&
      (type === icmp6Types.neighbourSolicitation || type === icmp6Types.neighbourAdvertisement) &&
      code === 0)
  );
}

/**
 * Fragments find each other only where they go on in the same place, with the same actions and
 * metadata (ofproto/ofproto-dpif-rid.c).
 */
export function reassemblyKey({ bridge, table, packet, actions, stack }: Frozen): string {
  return [
    bridge.plan.name,
    table,
    printActions(actions.map(({ action }) => action)),
    ...stack.map(({ value, bytes }) => `${value}/${bytes}`),
    packet.key.subarray(0, word.ctState).join(),
  ].join(' ');
}
