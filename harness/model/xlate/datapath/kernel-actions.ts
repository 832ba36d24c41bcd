/**
 * The kernel takes a translation's actions as a whole, or none of them: it goes through them before
 * it executes one, with what it knows of the packet then (net/openvswitch/flow_netlink.c,
 * __ovs_nla_copy_actions).
 */
import { Unpredictable, Unsupported } from '../../../base/errors/errors.js';
import {
  copyKey,
  countLabels,
  countTags,
  isIp,
  isMpls,
  isTag,
  keyWords,
  word,
  type FlowKey,
} from '../../../packet/flow-key/flow-key.js';
import { etherTypes } from '../../../packet/protocols/link/ethernet.js';
import { changed } from '../../../packet/flow-key/rewrite/replace-bytes.js';
import { countCommonLabels } from '../../../packet/flow-key/rewrite/rewrite-labels.js';
import { countCommonTags } from '../../../packet/flow-key/rewrite/rewrite-tags.js';
import { ipProtocols } from '../../../packet/protocols/ip/ipv4.js';
import type { Behaviour } from '../../behaviour.js';
import type { Packet } from '../../packet/packet.js';

/** What the kernel takes the packet for behind the actions that it has gone through so far. */
export interface KernelActions {
  /** 0 once the last label that it knows of was popped: it does not look what is behind. */
  readonly ethType: number;
  readonly isTagged: boolean;
  readonly labels: number;
  /** Why it takes none of them. */
  readonly refused: string | undefined;
  /**
   * Whether one of them is unknown to it: then ovs-vswitchd executes them, and hands it frames
   * (lib/odp-util.c, commit_odp_actions, SLOW_ACTION; lib/dpif.c, dpif_execute_with_help).
   */
  readonly isSlow: boolean;
  /**
   * The packet's key when it had no labels last: Open vSwitch goes by it for what is behind labels
   * that it pushed. Undefined where it came with some.
   */
  readonly unlabelled: FlowKey | undefined;
  /** Whether what the packet carries stands behind an LLC header. */
  readonly isBehindLlc: boolean;
}

const typePlace = 12;
const tagLength = 4;
/** What is less is a length (IEEE 802.3, section 3.2.6). */
const firstType = 0x600;

/** Undefined where ovs-vswitchd switches: it refuses none of its own. */
export function kernelActionsOf(
  { frame, baseKey: key }: Pick<Packet, 'frame' | 'baseKey'>,
  { datapath }: Behaviour,
): KernelActions | undefined {
  if (datapath !== 'in the kernel') return undefined;
  const type = typePlace + tagLength * countTags(key);
  return {
    ethType: key[word.ethType] ?? 0,
    isTagged: countTags(key) > 0,
    labels: countLabels(key),
    refused: undefined,
    isSlow: false,
    unlabelled: unlabelledOf(key),
    isBehindLlc:
      (key[word.ethType] ?? 0) >= firstType &&
      ((frame[type] ?? 0) << 8) + (frame[type + 1] ?? 0) < firstType,
  };
}

/**
 * Behind actions that make a packet with the key `after` of one with `before`, in the order of
 * Open vSwitch (lib/odp-util.c, commit_odp_actions).
 */
export function withCommitted(
  actions: KernelActions,
  before: FlowKey,
  after: FlowKey,
): KernelActions {
  const isBare = isMpls(before[word.ethType] ?? 0) && !isMpls(after[word.ethType] ?? 0);
  const base = isBare ? actions.unlabelled : before;
  const slow = base !== undefined && isUnknownToKernel(base, after);
  const next = { ...actions, isSlow: actions.isSlow || slow };
  const behindLabels = isBare ? withLabels(next, before, after) : next;
  const behindIp = base === undefined ? behindLabels : withIp(behindLabels, base, after);
  const behindAll = isBare ? behindIp : withLabels(behindIp, before, after);
  return {
    ...withTags(behindAll, before, after),
    unlabelled: unlabelledOf(after) ?? actions.unlabelled,
  };
}

function unlabelledOf(key: FlowKey): FlowKey | undefined {
  return isMpls(key[word.ethType] ?? 0) ? undefined : copyKey(key);
}

/** What a copy has gone through is its own, but for why all are refused, or executed elsewhere. */
export function behindCopy(
  original: KernelActions | undefined,
  copy: KernelActions | undefined,
): KernelActions | undefined {
  if (original === undefined || copy === undefined) return undefined;
  return { ...original, refused: copy.refused, isSlow: copy.isSlow };
}

/** Why the kernel takes none of a translation's actions; undefined where it takes all. */
export function refusalOf(actions: KernelActions | undefined): string | undefined {
  return actions?.isSlow === true ? undefined : actions?.refused;
}

function refuse(actions: KernelActions, why: string): KernelActions {
  return { ...actions, refused: actions.refused ?? `the kernel refuses ${why}` };
}

function withIp(actions: KernelActions, before: FlowKey, after: FlowKey): KernelActions {
  const isWritten =
    isIp(after[word.ethType] ?? 0) &&
    after[word.nwProto] !== 0 &&
    changed(before, after, word.nwSrc, word.arpSha - word.nwSrc);
  return isWritten && actions.ethType === 0
    ? refuse(actions, 'to write into what is behind the last label that was popped')
    : actions;
}

/** (lib/odp-util.c, commit_mpls_action) */
function withLabels(actions: KernelActions, before: FlowKey, after: FlowKey): KernelActions {
  const [had, has] = [countLabels(before), countLabels(after)];
  const common = countCommonLabels(before, after);
  let [left, next] = [had, actions];
  for (; left > common; left--) {
    if (left - 1 === common && has > common) {
      next = isMpls(next.ethType) ? next : refuse(next, 'to write a label where it knows of none');
      for (let index = left; index < has; index++) next = pushed(next, before, after);
      return next;
    }
    const isLastKnown = next.labels <= 1;
    const type = isMpls(after[word.ethType] ?? 0) || left === 1 ? after[word.ethType] : undefined;
    next = popped(next, isLastKnown ? 0 : (type ?? etherTypes.mpls));
  }
  for (; left < has; left++) next = pushed(next, before, after);
  return next;
}

/**
 * @throws Unsupported behind an LLC header: the kernel writes the type there, where it stood before
 *   the label came (net/core/skbuff.c, skb_mpls_pop).
 */
function popped(actions: KernelActions, type: number): KernelActions {
  if (actions.isBehindLlc)
    throw new Unsupported(
      'the model does not know the type of a frame from which the kernel pops a label that was ' +
        'pushed behind an LLC header',
    );
  const known =
    actions.isTagged || !isMpls(actions.ethType)
      ? refuse(actions, 'to pop a label behind a VLAN tag, or where it knows of none')
      : actions;
  return { ...known, ethType: isMpls(type) ? type : 0, labels: actions.labels - 1 };
}

const labelled: readonly number[] = [
  etherTypes.ipv4,
  etherTypes.ipv6,
  etherTypes.arp,
  etherTypes.rarp,
  etherTypes.mpls,
  etherTypes.mplsMulticast,
];

/** @throws Unpredictable behind more tags than Open vSwitch reads: the kernel reads two. */
function pushed(actions: KernelActions, before: FlowKey, after: FlowKey): KernelActions {
  if (isTag(before[word.ethType] ?? 0))
    throw new Unpredictable(
      'the model does not know whether the kernel pushes a label behind a VLAN tag that the ' +
        'switch does not read',
    );
  const next =
    actions.isTagged || !labelled.includes(actions.ethType)
      ? refuse(actions, 'to push a label behind a VLAN tag, or before what is neither IP nor ARP')
      : actions;
  return { ...next, ethType: after[word.ethType] ?? 0, labels: actions.labels + 1 };
}

/** (lib/odp-util.c, commit_vlan_action) */
function withTags(actions: KernelActions, before: FlowKey, after: FlowKey): KernelActions {
  const [had, has] = [countTags(before), countTags(after)];
  const common = countCommonTags(before, after);
  if (has > common) return { ...actions, isTagged: true };
  return had > common ? { ...actions, isTagged: false } : actions;
}

/** Changes of ARP, of neighbour discovery, and of ICMP's type and code. */
function isUnknownToKernel(before: FlowKey, after: FlowKey): boolean {
  if (after[word.nwProto] === 0) return false;
  const type = before[word.ethType] ?? 0;
  if (type === etherTypes.arp)
    return (
      changed(before, after, word.nwSrc, 2) ||
      changed(before, after, word.nwProto, 1) ||
      changed(before, after, word.arpSha, 4)
    );
  const protocol = before[word.nwProto];
  const isIcmpv6 = type === etherTypes.ipv6 && protocol === ipProtocols.icmp6;
  if (!isIcmpv6 && !(type === etherTypes.ipv4 && protocol === ipProtocols.icmp)) return false;
  return (
    changed(before, after, word.tpSrc, 2) ||
    (isIcmpv6 && changed(before, after, word.tcpFlags, keyWords - word.tcpFlags))
  );
}
