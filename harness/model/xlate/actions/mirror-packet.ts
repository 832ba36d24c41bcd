/**
 * Copies of packets for mirrors, as they come in and as they go out (Open vSwitch
 * ofproto/ofproto-dpif-xlate.c, mirror_packet, reset_mirror_ctx).
 */
import { Unpredictable, Unsupported } from '../../../base/errors/errors.js';
import type { Action } from '../../../openflow/actions/actions.js';
import { isIp, word, type FlowKey } from '../../../packet/flow-key/flow-key.js';
import { hasField } from '../../fields/has-field.js';
import { isMirrorOutput, type Mirror } from '../../l2/mirrors.js';
import { formatMac, isReserved, macAt, membersOf, portsOf } from '../../l2/xlate-normal.js';
import {
  toInternalTags,
  outputAt,
  carries,
  isAllowed,
  tagsOf,
  vlansOf,
  type TaggedOutput,
  type Tag,
} from '../../l2/vlans.js';
import type { XlateContext } from '../xlate-context.js';

/** Sends the packet out of a port with the tags that it is to have there. */
export type SendTagged = (at: XlateContext, exits: readonly TaggedOutput[], by: string) => void;

/**
 * Copies the packet for every mirror that watches `port`, unless it went to the same output before;
 * copies may be mirrored again, to others.
 * @param direction seen from the bridge: the packet comes in at the port, or has gone out of it.
 */
export function mirrorPacket(
  ctx: XlateContext,
  port: number,
  direction: 'in' | 'out',
  send: SendTagged,
): void {
  const { bridge, packet } = ctx;
  const watching = bridge.mirrors.filter(({ sources, destinations }) =>
    (direction === 'in' ? sources : destinations).has(port),
  );
  if (watching.length === 0) return;
  const settings = vlansOf(bridge, port);
  const seen = tagsOf(packet.key);
  if (!isAllowed(settings, seen[0]?.vlan ?? 0)) return;
  const tags = toInternalTags(settings, seen);
  for (const one of watching) {
    if ((ctx.mirrored & one.bit) !== 0 || !(one.vlans?.has(tags[0]?.vlan ?? 0) ?? true)) continue;
    ctx.mirrored = (ctx.mirrored | one.sharing) >>> 0;
    ctx.snapLength = one.snapLength;
    send(ctx, mirrorOutputs(ctx, one, tags), `mirror ${one.name}`);
    ctx.snapLength = 0;
  }
}

/**
 * A packet that goes out of several ports at once does so in an order of the switch's own, and a
 * mirror copies it at the first that it watches.
 * @throws Unsupported where its copies would differ, or are watched by another mirror.
 */
export function refuseUnorderedCopies(ctx: XlateContext, exits: readonly TaggedOutput[]): void {
  const { bridge, mirrored } = ctx;
  const left = exits.length < 2 ? [] : bridge.mirrors.filter(({ bit }) => (mirrored & bit) === 0);
  const copies = new Map<number, string>();
  for (const { port, tags } of exits) {
    const settings = vlansOf(bridge, port);
    if (!isAllowed(settings, tags[0]?.vlan ?? 0)) continue;
    const inside = toInternalTags(settings, tags);
    for (const { sharing, destinations, vlans, snapLength, output, name } of left) {
      if (!destinations.has(port) || !(vlans?.has(inside[0]?.vlan ?? 0) ?? true)) continue;
      const copy = JSON.stringify([inside, snapLength]);
      const other = copies.get(sharing) ?? copy;
      const isWatched = left.some(
        (watching) =>
          watching.sharing !== sharing &&
          (output.kind === 'vlan'
            ? watching.destinations.size > 0
            : [...output.members].some((member) => watching.destinations.has(member))),
      );
      const meets = mirrorOutputs(ctx, { output }, inside).some(
        (out) =>
          out.port !== port &&
          exits.some(
            (exit) =>
              exit.port === out.port && JSON.stringify(exit.tags) !== JSON.stringify(out.tags),
          ),
      );
      if (copy !== other || isWatched || meets)
        throw new Unsupported(
          `the model does not know at which of several ports mirror ${name} copies a packet ` +
            'first, and the outcome differs',
        );
      copies.set(sharing, copy);
    }
  }
}

/** Out of its port, or of all that carry its VLAN: also of the one that the packet came in at. */
function mirrorOutputs(
  ctx: XlateContext,
  { output }: Pick<Mirror, 'output'>,
  tags: readonly Tag[],
): readonly TaggedOutput[] {
  const { bridge, packet, frameRun } = ctx;
  const exit = (port: number, inside: readonly Tag[]) =>
    membersOf(
      frameRun.node,
      bridge,
      outputAt(bridge, port, inside, tagsOf(packet.key)[0]?.priority ?? 0),
      undefined,
      macAt(packet.key, word.ethSrc),
    );
  if (output.kind === 'port') return exit(output.port, tags);
  const [outer] = tags;
  if (outer?.vlan === output.vlan) return [];
  if (isReserved(macAt(packet.key, word.ethDst))) {
    ctx.uncopied ??= macAt(packet.key, word.ethDst);
    return [];
  }
  const moved = [
    { type: outer?.type ?? vlanType, vlan: output.vlan, priority: outer?.priority ?? 0 },
    ...tags.slice(1),
  ];
  return portsOf(bridge)
    .filter(
      (port) => carries(vlansOf(bridge, port), moved) && !isMirrorOutput(bridge.mirrors, port),
    )
    .flatMap((port) => exit(port, moved));
}

const vlanType = 0x8100;

/**
 * Whether a packet is copied into a VLAN hangs on its destination, which Open vSwitch forgets to
 * make part of the cached flow (ofproto/ofproto-dpif-xlate.c, mirror_packet).
 * @throws Unpredictable where nothing else has made it so.
 */
export function refuseUncopied({ uncopied, readsDestination, bridge }: XlateContext): void {
  if (uncopied !== undefined && !readsDestination)
    throw new Unpredictable(
      `it hangs on what Open vSwitch has cached whether a mirror of bridge ${bridge.plan.name} ` +
        `copies a packet to ${formatMac(uncopied)} into its VLAN: flows do not read its ` +
        'address',
    );
}

/**
 * What changes the packet makes it one that mirrors have not seen: since Open vSwitch 3.2, and
 * whatever the change comes to.
 */
export function resetMirrorCtx(ctx: XlateContext, action: Action): void {
  if (ctx.mirrored === 0 || ctx.frameRun.node.behaviour.changedPackets !== 'are mirrored again')
    return;
  if (modifiesPacket(action, ctx.packet.key)) ctx.mirrored = 0;
}

function modifiesPacket(action: Action, key: FlowKey): boolean {
  switch (action.kind) {
    case 'push_vlan':
    case 'pop_vlan':
    case 'push_mpls':
    case 'pop_mpls':
    case 'dec_mpls_ttl':
    case 'dec_ttl':
    case 'set_vlan':
      return true;
    case 'set':
      return hasField(key, action.field) && !besidePacket.test(action.field.name);
    case 'set_port':
      return isIp(key[word.ethType] ?? 0) && ((key[word.nwFrag] ?? 0) & laterFragment) === 0;
    case 'ct':
      return action.exec.some(({ kind }) => kind === 'nat');
    default:
      return false;
  }
}

/**
 * Fields that Open vSwitch takes for metadata there; most of a tunnel's it does not
 * (lib/meta-flow.c, mf_is_any_metadata).
 */
const besidePacket =
  /^(dp_hash|recirc_id|packet_type|conj_id|tun_erspan_dir|tun_metadata\d+|metadata|in_port|actset_output|pkt_mark|ct_\w+|x{0,2}reg\d+)$/;
const laterFragment = 2;
