/** Choosing by a hash of the packet: bundle, bundle_load and multipath. */
import type { Form } from '../../syntax/form.js';
import { parsePort, printPort, reservedPorts } from '../../syntax/ports.js';
import { complain, parseDecimal, part, shorten, split, type Span } from '../../syntax/text.js';
import {
  bundleAlgorithms,
  hashFields,
  multipathAlgorithms,
  type Action,
  type ChoiceAction,
  type Subfield,
} from '../action.js';
import {
  needed,
  numbered,
  oneOf,
  printSubfield,
  subfield,
  type ActionText,
  type Reader,
  type ParseContext,
} from '../parse-context.js';
import { longestNumber } from './output-actions.js';
import { requireWritable } from '../packet-knowledge.js';

export const choiceReaders: Readonly<Record<string, Reader>> = {
  bundle: (call, reading) => readBundle(call, reading),
  bundle_load: (call, reading) => readBundle(call, reading),
  multipath: readMultipath,
};

const mostMembers = 2048;

/**
 * `bundle(FIELDS,BASIS,ALGORITHM,ofport,members:PORT,…)`; bundle_load has a field before `members`.
 */
function readBundle(call: ActionText, reading: ParseContext): Action {
  const text = needed(call);
  const delimiter = /\b(members|slaves)\s*:/i.exec(text.text);
  if (delimiter === null) throw complain(text, `${call.name}: expected members:PORT,PORT…`);
  const [fields, basis, algorithm, type, target, ...rest] = split(
    part(text, 0, delimiter.index),
    /[,\s]/,
  );
  if (fields === undefined || basis === undefined || algorithm === undefined || type === undefined)
    throw complain(
      text,
      `expected ${call.name}(FIELDS,BASIS,ALGORITHM,ofport,…), got "${shorten(text.text)}"`,
    );
  const wanted = call.name.toLowerCase() === 'bundle_load';
  if ((target !== undefined) !== wanted || rest.length > 0)
    throw complain(
      rest[0] ?? target ?? text,
      wanted
        ? 'bundle_load: expected one field before members'
        : 'bundle: expected members behind ofport',
    );
  const members = split(part(text, delimiter.index + delimiter[0].length), /[,\s[\]]/);
  if (members.length > mostMembers)
    throw complain(text, `${call.name}: at most ${mostMembers} members, got ${members.length}`);
  oneOf(type, 'type of members', ['ofport']);
  return {
    kind: 'bundle',
    fields: oneOf(fields, 'fields to hash', hashFields),
    basis: parseDecimal(basis, 'basis', 65535),
    algorithm: oneOf(algorithm, 'algorithm', bundleAlgorithms),
    members: members.map((member) => readMember(member, reading)),
    ...(target === undefined ? {} : { destination: readTarget(target, call.name, 16, reading) }),
  };
}

function readMember(at: Span, reading: ParseContext): number {
  const number = parsePort(at, reading.names.ports);
  if (number === reservedPorts.CONTROLLER)
    throw complain(at, 'a controller is no member of a bundle');
  return number;
}

/** Where a chosen number goes: it must fit. */
function readTarget(at: Span, name: string, bits: number, reading: ParseContext): Subfield {
  const target = requireWritable(at, numbered(at, name, subfield(at, reading)), reading);
  if (target.bits < bits || target.bits > longestNumber)
    throw complain(
      at,
      `expected ${bits} to ${longestNumber} bits for the number, got ${target.bits}`,
    );
  return target;
}

const mostLinks = 65536;

/** `multipath(FIELDS,BASIS,ALGORITHM,LINKS,ARGUMENT,FIELD[])` */
function readMultipath(call: ActionText, reading: ParseContext): Action {
  const [fields, basis, algorithm, count, argument, target, extra] = split(needed(call), /[,\s]/);
  if (
    fields === undefined ||
    basis === undefined ||
    algorithm === undefined ||
    count === undefined ||
    argument === undefined ||
    target === undefined
  ) {
    throw complain(
      call.argument,
      'expected multipath(FIELDS,BASIS,ALGORITHM,LINKS,ARGUMENT,FIELD[]), got ' +
        `"${shorten(call.argument.text)}"`,
    );
  }
  if (extra !== undefined)
    throw complain(extra, `multipath ends with a field, "${shorten(extra.text)}" stands behind it`);
  const links = parseDecimal(count, 'links', mostLinks);
  if (links < 1)
    throw complain(count, `links: expected a number from 1 to ${mostLinks}, got ${links}`);
  return {
    kind: 'multipath',
    fields: oneOf(fields, 'fields to hash', hashFields),
    basis: parseDecimal(basis, 'basis', 65535),
    algorithm: oneOf(algorithm, 'algorithm', multipathAlgorithms),
    links,
    argument: parseDecimal(argument, 'argument', 0xffffffff),
    destination: readTarget(target, call.name, Math.ceil(Math.log2(links)), reading),
  };
}

export function printChoice(action: ChoiceAction, form: Form): string {
  const { fields, basis, algorithm } = action;
  if (action.kind === 'multipath')
    return (
      `multipath(${fields},${basis},${algorithm},${action.links},${action.argument},` +
      `${printSubfield(action.destination)})`
    );
  const members = `members:${action.members.map((member) => printPort(member, form.ports)).join(',')}`;
  if (action.destination === undefined)
    return `bundle(${fields},${basis},${algorithm},ofport,${members})`;
  return (
    `bundle_load(${fields},${basis},${algorithm},ofport,${printSubfield(action.destination)},` +
    `${members})`
  );
}
