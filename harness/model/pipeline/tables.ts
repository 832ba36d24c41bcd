/** Table lookups of a translation: which flow a packet takes, and on to other tables. */
import type { Action } from '../../openflow/actions.js';
import { printFlow } from '../../openflow/flow.js';
import { clearWords, copyKey, isIp, word, type FlowKey } from '../../packet/flow-key.js';
import { insert, lookup, remove, type Found, type Rule } from '../classifier.js';
import { countedBy, recordOf } from '../flows/record.js';
import { idOf, type ModelBridge, type ModelNode } from '../node.js';
import type { Packet } from '../packet.js';
import { lookAtWords } from '../megaflows/recording.js';
import { takeOverCongestion } from '../tunnels/congestion.js';
import { keyOf, partsKey, Undecided } from '../undecided.js';
import {
  hasRoom,
  keepNothing,
  noteDrop,
  ofFlow,
  placeOf,
  type Translation,
} from './translation.js';

/** Which fields a packet is looked up by. */
type LookedUp = 'by its fields' | 'by the first packet';

/**
 * Looks `table` up with `inPort` as the packet's port, and carries out what is found: that is the
 * flow at hand from now on.
 */
export function runTable(
  at: Translation,
  table: number,
  inPort: number,
  seen: LookedUp = 'by its fields',
  carryOut = carryOutHere,
): void {
  const { passage, bridge, packet } = at;
  const { node, steps } = passage;
  const realPort = packet.key[word.inPort] ?? 0;
  packet.key[word.inPort] = inPort;
  if (seen === 'by the first packet') swap(packet.key);
  const key = seenByLookup(packet);
  passage.details?.push({ kind: 'look', after: steps.length, key: copyKey(key) });
  const found = lookUp(at, table, key);
  if (seen === 'by the first packet') swap(packet.key);
  packet.key[word.inPort] = realPort;
  if (found.ties.length > 0) keepNothing(at, 'flows of equal priority');
  const rule = found.ties.length === 0 ? found.rule : chosen(node, bridge, found);
  if (rule === undefined) {
    steps.push(
      { kind: 'lookup', bridge: bridge.plan.name, table, depth: at.depth },
      { kind: 'drop', why: `no flow of table ${table} matches` },
    );
    return;
  }
  count(at, rule);
  at.rule = rule;
  at.place = placeOf(at, rule);
  steps.push({
    kind: 'lookup',
    bridge: bridge.plan.name,
    table,
    depth: at.depth,
    flow: idOf(node, bridge, rule),
  });
  if (!isCongested(at)) carryOut(at, rule.actions);
  passage.details?.push({ kind: 'leave', after: steps.length });
}

function carryOutHere(at: Translation, actions: readonly Action[]): void {
  at.carryOut(at, actions, ofFlow);
}

/**
 * Whether the translation ends because of the tunnel that the packet came through; its first flow
 * counts all the same, and did not see what is told of congestion.
 */
export function isCongested(at: Translation): boolean {
  if (at.congestion === 'told') return false;
  at.congestion = 'told';
  if (at.packet.key[word.tunTos] !== 0) {
    lookAtWords(at.recording, word.nwTos);
    lookAtWords(at.recording, word.tunSrc, word.tunTos - word.tunSrc);
  }
  if (takeOverCongestion(at.packet.key) === 'taken over') return false;
  at.isArriving = false;
  at.passage.steps.push({
    kind: 'drop',
    why: 'congestion was met in the tunnel, and the packet is not ECN capable',
  });
  return true;
}

/**
 * The one that was seen to win among flows of equal priority: OpenFlow leaves open which of them it
 * is (1.3, section 5.3). @throws Undecided where none was seen.
 */
function chosen(
  node: ModelNode,
  bridge: ModelBridge,
  { ties: candidates, parts = [] }: Found,
): Rule {
  const [first, ...others] = candidates;
  if (
    node.decisions.ofAlike === 'first' &&
    first !== undefined &&
    others.every((rule) => whatItDoes(rule) === whatItDoes(first))
  ) {
    const leftOpen = node.decisions.leftOpen.get(first) ?? new Set();
    node.decisions.leftOpen.set(first, leftOpen);
    for (const rule of others) leftOpen.add(rule);
    return first;
  }
  const rules = new Map(candidates.map((rule) => [keyOf(idOf(node, bridge, rule)), rule]));
  const by = partsKey(parts.map((rule) => idOf(node, bridge, rule)));
  const tie = node.decisions.ties.find(
    (known) =>
      known.candidates.length === rules.size &&
      known.parts === by &&
      known.flowChanges === node.decisions.flowChanges &&
      known.candidates.every((id) => rules.has(keyOf(id))),
  );
  const winner = tie === undefined ? undefined : rules.get(keyOf(tie.winner));
  if (winner !== undefined) return winner;
  throw new Undecided(
    `two flows of equal priority match one packet: ${candidates
      .slice(0, 2)
      .map(({ flow }) => printFlow(flow))
      .join(' and ')}`,
    node,
    {
      kind: 'flow',
      candidates: candidates.map((rule) => ({
        flow: idOf(node, bridge, rule),
        ...countedBy(bridge, rule),
      })),
      parts: by,
    },
  );
}

/** Actions and timeouts. Made once a rule. */
function whatItDoes(rule: Rule): string {
  const made = done.get(rule) ?? printFlow({ ...rule.flow, match: [], priority: 0, cookie: 0n });
  done.set(rule, made);
  return made;
}

const done = new WeakMap<Rule, string>();

/**
 * In the table as it was when the translation began: what packets have learned since is put aside
 * meanwhile.
 */
function lookUp(
  { passage: { edits }, sees, bridge, recording }: Translation,
  table: number,
  key: FlowKey,
): Found {
  if (edits.length === sees) return lookup(bridge.tables, table, key, recording?.mask);
  const later = edits
    .slice(sees)
    .filter(
      (edit) => edit.bridge === bridge && (edit.added ?? edit.removed?.rule)?.flow.table === table,
    );
  for (const { added, removed } of later.toReversed()) {
    if (added !== undefined) remove(bridge.tables, added);
    if (removed !== undefined) insert(bridge.tables, removed.rule);
  }
  try {
    return lookup(bridge.tables, table, key, recording?.mask);
  } finally {
    for (const { added, removed } of later) {
      if (removed !== undefined) remove(bridge.tables, removed.rule);
      if (added !== undefined) insert(bridge.tables, added);
    }
  }
}

/**
 * What a packet takes counts at once, whatever becomes of it; for a flow that was replaced
 * meanwhile, the one in its place.
 */
function count(
  { bridge, bytes, received, passage: { node, edits }, recording }: Translation,
  rule: Rule,
): void {
  const record = recordOf(
    bridge,
    edits.length === 0
      ? rule
      : (edits.find(({ removed }) => removed?.rule === rule)?.added ?? rule),
  );
  record.packets++;
  record.bytes += bytes;
  record.usedMs = node.nowMs;
  recording?.counted.push({ record, longer: bytes - received.frame.length });
}

/** Fragments have no ports to match, not even the first (ovs-ofctl(8), "set-frags": `normal`). */
function seenByLookup({ key }: Packet): FlowKey {
  if (key[word.nwFrag] === 0) return key;
  const seen = copyKey(key);
  clearWords(seen, word.tpSrc, word.tpDst + 1);
  return seen;
}

/**
 * On to another table. Only going back, or staying, makes it deeper; every lookup counts, also one
 * that finds nothing.
 */
export function descend(
  at: Translation,
  table: number,
  inPort: number,
  seen: LookedUp = 'by its fields',
  carryOut = carryOutHere,
): void {
  const { packet, place, rule } = at;
  if (packet.isUnread) {
    at.exits = true;
    at.freezing = { kind: 'reread' };
    return;
  }
  if (!hasRoom(at)) return;
  const deepens = table <= place.table ? 1 : 0;
  at.lookups++;
  at.depth += deepens;
  runTable(at, table, inPort, seen, carryOut);
  at.depth -= deepens;
  at.place = place;
  at.rule = rule;
}

/**
 * The same, but looked up by what the connection's first packet had for addresses, protocol and
 * ports (ovs-actions(7), "resubmit").
 */
export function descendAsFirst(at: Translation, table: number, inPort: number): void {
  const { key, isUnread } = at.packet;
  if (isUnread) return descend(at, table, inPort);
  if (!isIp(key[word.ethType] ?? 0) || key[word.ctNwProto] === 0)
    return void (hasRoom(at) && noteDrop(at, 'resubmit(ct) of a packet that was not tracked'));
  descend(at, table, inPort, 'by the first packet');
}

const swapped: readonly (readonly [own: number, first: number])[] = [
  [word.nwSrc, word.ctNwSrc],
  [word.nwDst, word.ctNwDst],
  [word.nwProto, word.ctNwProto],
  [word.tpSrc, word.ctTpSrc],
  [word.tpDst, word.ctTpDst],
  ...[0, 1, 2, 3].flatMap(
    (index) =>
      [
        [word.ipv6Src + index, word.ctIpv6Src + index],
        [word.ipv6Dst + index, word.ctIpv6Dst + index],
      ] as const,
  ),
];

function swap(key: FlowKey): void {
  for (const [own, first] of swapped) [key[own], key[first]] = [key[first] ?? 0, key[own] ?? 0];
}
