/**
 * Actions: what a flow does (ovs-actions(7)). An action that is not here is refused by name, never
 * skipped.
 */
import { canonical, type Form, type Names, type Protocol } from '../syntax/form.js';
import type { Match } from '../match/match.js';
import { reservedPorts } from '../syntax/ports.js';
import { complain, shorten, type Span } from '../syntax/text.js';
import type { Action } from './action.js';
import { choiceReaders } from './kinds/multipath-bundle.js';
import { ctReaders } from './kinds/ct-action.js';
import { headerReaders } from './kinds/header-actions.js';
import { learnReaders } from './kinds/learn-action.js';
import { isInstruction, mayBeWritten, mayFollow } from './instruction-order.js';
import { otherReaders } from './kinds/other-actions.js';
import { outputReaders, readBarePort } from './kinds/output-actions.js';
import {
  decodedActions,
  decodedBucketActions,
  encodedOver,
  normalisedActions,
} from './encoded-over.js';
import { printList } from './print-list.js';
import { splitActions, type ActionText, type Reader, type ParseContext } from './parse-context.js';
import { setReaders } from './kinds/set-actions.js';
import { afterAction, packetKnowledgeOf } from './packet-knowledge.js';
import { tableReaders } from './kinds/table-actions.js';

export type * from './action.js';

/** What the actions of a flow depend on. */
export interface ActionsContext {
  readonly table: number;
  readonly match: Match;
  readonly names: Names;
  /** Of the connection that brings the flow to the switch; by default OpenFlow 1.5. */
  readonly protocol?: Protocol;
  /** Whether a switch has printed them, to which `protocol` has added them. */
  readonly isDumped?: boolean;
}

/**
 * The actions as a switch has them once the flow has come to it. An empty list is `drop`. Refused
 * is also what ovs-ofctl or the switch refuses beside this match: fields that its packets do not
 * have, fields that cannot be written, actions out of order. Whether groups and meters exist is not
 * checked.
 * @throws InputError with line and column.
 */
export function parseActions(
  whole: Span,
  { table, match, names, protocol = canonical.protocol, isDumped = false }: ActionsContext,
): readonly Action[] {
  checkParentheses(whole);
  const reading: ParseContext = {
    table,
    packet: packetKnowledgeOf(match),
    names,
    protocol,
    isDumped,
    depth: 0,
    actions: readActions,
  };
  return decodedOver(whole, readActions(whole, reading), reading);
}

/**
 * The actions of a group's bucket at `whole`: nobody knows what packets come there, and OpenFlow
 * carries them out as an action set.
 */
export function parseBucketActions(
  whole: Span,
  found: readonly ActionText[],
  names: Names,
  protocol: Protocol = canonical.protocol,
): readonly Action[] {
  checkParentheses(whole);
  const reading: ParseContext = {
    packet: packetKnowledgeOf([]),
    names,
    protocol,
    depth: 0,
    inside: 'bucket',
    actions: readActions,
  };
  return decodedBucketActions(encodedOver(protocol, readCalls(found, reading)));
}

/**
 * The text of actions that a switch has.
 * @param form As a dump of this form shows them, by `ovs-ofctl -O VERSION`. Without one it is the
 *   canonical text, which ovs-ofctl reads.
 */
export function printActions(actions: readonly Action[], form?: Form): string {
  return form === undefined
    ? printList(normalisedActions(encodedOver(canonical.protocol, actions)), canonical)
    : printList(encodedOver(form.protocol, actions), form);
}

const readers: ReadonlyMap<string, Reader> = new Map(
  [
    outputReaders,
    setReaders,
    headerReaders,
    tableReaders,
    ctReaders,
    learnReaders,
    choiceReaders,
    otherReaders,
  ].flatMap((family) => Object.entries(family)),
);

/** As deep as Open vSwitch lets actions stand in actions. */
const mostDepth = 100;

/** Between its parentheses an action may have further ones, such as those of exec(). */
const mostParentheses = mostDepth + 4;

function readActions(whole: Span, outer: ParseContext): readonly Action[] {
  if (outer.depth >= mostDepth)
    throw complain(whole, `actions stand in actions at most ${mostDepth} deep`);
  return readCalls(splitActions(whole), outer);
}

/** Every action takes 8 bytes of a message at least, of 65,535. */
const mostActions = 8191;

function readCalls(all: readonly ActionText[], outer: ParseContext): readonly Action[] {
  const [tooMany] = all.slice(mostActions);
  if (tooMany !== undefined)
    throw complain(tooMany.at, `more than ${mostActions} actions fit into no message`);
  let reading: ParseContext = { ...outer, depth: outer.depth + 1 };
  const found: Action[] = [];
  const places: Span[] = [];
  let drop: Span | undefined;
  for (const call of all) {
    if (call.name.toLowerCase() === 'drop') {
      drop = call.at;
      continue;
    }
    const action = readAction(call, reading);
    checkPlace(call.at, action, found.at(-1), reading);
    found.push(action);
    places.push(call.at);
    reading = { ...reading, packet: afterAction(reading.packet, action) };
  }
  if (drop !== undefined && found.length > 0)
    throw complain(drop, 'drop stands alone, without other actions');
  const beside = found.some(({ kind }) => kind === 'conjunction')
    ? found.findIndex(({ kind }) => kind !== 'conjunction' && kind !== 'note')
    : -1;
  if (beside >= 0) throw complain(places[beside]!, 'a conjunction stands alone, or beside note');
  return found;
}

/** Before anything is taken apart, so that deep nesting costs no more than one look. */
function checkParentheses(whole: Span): void {
  if (parentheses(whole.text) > mostParentheses)
    throw complain(whole, `actions stand in actions at most ${mostDepth} deep`);
}

function parentheses(text: string): number {
  let [depth, deepest] = [0, 0];
  for (const character of text) {
    if (character === '(') deepest = Math.max(deepest, ++depth);
    else if (character === ')') depth--;
  }
  return deepest;
}

/**
 * Not known here: a network service header, Ethernet frames within others, and what only Open
 * vSwitch's own tests need.
 */
const unknown: readonly string[] = ['encap', 'decap', 'dec_nsh_ttl', 'debug_recirc', 'debug_slow'];

function readAction(call: ActionText, reading: ParseContext): Action {
  const { name, at, argument } = call;
  const reader = readers.get(name.toLowerCase());
  if (reader !== undefined) return reader(call, reading);
  if (!/^["\w]/.test(name)) throw complain(at, `expected an action, got "${shorten(at.text)}"`);
  if (unknown.includes(name.toLowerCase()))
    throw complain(at, `the action ${name} is not known here`);
  const isPort =
    argument.text === '' &&
    (/^("|\d)/.test(name) ||
      reading.names.ports.has(name) ||
      name.toUpperCase() in reservedPorts ||
      name.toUpperCase() === 'NONE');
  if (!isPort) throw complain(at, `unknown action "${shorten(at.text)}"`);
  return readBarePort(at, reading);
}

/** Whether `action` may stand behind the actions before it, and inside the one around it. */
function checkPlace(
  at: Span,
  action: Action,
  last: Action | undefined,
  { inside, protocol }: ParseContext,
): void {
  if (last !== undefined && !mayFollow(last, action))
    throw complain(at, `${nameOf(last)} comes last, "${shorten(at.text)}" stands behind it`);
  if (inside !== undefined && isInstruction(action) && action.kind !== 'meter')
    throw complain(at, `${nameOf(action)} stands by itself, not in ${inside}`);
  if (inside === 'ct' && action.kind !== 'nat' && action.kind !== 'set' && action.kind !== 'move')
    throw complain(at, 'ct: exec() may only set ct_mark and ct_label');
  if (inside === 'write_actions' && protocol !== 'OpenFlow10' && !mayBeWritten(action))
    throw complain(at, `"${shorten(at.text)}" cannot be part of an action set`);
}

function nameOf({ kind }: Action): string {
  return kind === 'goto' ? 'goto_table' : kind;
}

/**
 * On both ends it is seen which packets have a tag. What arrives may be out of order where it was
 * not before: OpenFlow 1.0 has a lookup for goto_table.
 */
function decodedOver(
  whole: Span,
  sent: readonly Action[],
  { protocol, packet }: ParseContext,
): readonly Action[] {
  const found = decodedActions(encodedOver(protocol, decodedActions(sent, packet)), packet);
  const wrong = found.find(
    (action, index) => index > 0 && !mayFollow(found[index - 1] ?? action, action),
  );
  if (wrong !== undefined)
    throw complain(whole, `${nameOf(wrong)} cannot stand where it does in ${protocol}`);
  return found;
}
