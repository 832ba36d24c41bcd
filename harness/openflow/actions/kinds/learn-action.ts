/** learn: flows that flows add. */
import { fieldsNamed } from '../../match/fields.js';
import type { Form } from '../../syntax/form.js';
import type { Match } from '../../match/match.js';
import { complain, cut, parseDecimal, parseNumber, shorten, type Span } from '../../syntax/text.js';
import { parseMasked, printAssigned } from '../../match/masked-values.js';
import type { Action, LearnAction, LearnSpec, Subfield } from '../action.js';
import {
  splitActions,
  hex,
  numbered,
  ones,
  printSubfield,
  printTable,
  small,
  subfield,
  table,
  uint16,
  uint32,
  uint64,
  type ActionText,
  type Reader,
  type ParseContext,
} from '../parse-context.js';
import { checkWritable, requireReadable, packetKnowledgeOf } from '../packet-knowledge.js';

export const learnReaders: Readonly<Record<string, Reader>> = { learn: readLearn };

const defaults: LearnAction = {
  kind: 'learn',
  table: 1,
  idleTimeout: 0,
  hardTimeout: 0,
  finIdleTimeout: 0,
  finHardTimeout: 0,
  priority: 0x8000,
  cookie: 0n,
  sendFlowRemoved: false,
  deleteLearned: false,
  limit: 0,
  specs: [],
};

function readLearn({ argument }: ActionText, reading: ParseContext): Action {
  let learn = defaults;
  const specs: LearnSpec[] = [];
  let learned: Match = [];
  for (const option of splitActions(argument)) {
    const known = withOption(learn, option, reading);
    if (known !== undefined) {
      learn = known;
      continue;
    }
    const spec = readSpec(option, reading, learned);
    specs.push(spec);
    learned = withConstant(learned, spec);
  }
  return { ...learn, specs };
}

/** Undefined where it is no option, but something that the learned flow matches or does. */
function withOption(
  learn: LearnAction,
  { name, argument }: ActionText,
  reading: ParseContext,
): LearnAction | undefined {
  const seconds = () => parseDecimal(argument, name, Number(uint16));
  switch (name) {
    case 'table':
      return { ...learn, table: table(argument, reading) };
    case 'idle_timeout':
      return { ...learn, idleTimeout: seconds() };
    case 'hard_timeout':
      return { ...learn, hardTimeout: seconds() };
    case 'fin_idle_timeout':
      return { ...learn, finIdleTimeout: seconds() };
    case 'fin_hard_timeout':
      return { ...learn, finHardTimeout: seconds() };
    case 'priority':
      return { ...learn, priority: parseDecimal(argument, name, Number(uint16)) };
    case 'cookie':
      return { ...learn, cookie: parseNumber(argument, name, uint64) };
    case 'send_flow_rem':
      return { ...learn, sendFlowRemoved: true };
    case 'delete_learned':
      return { ...learn, deleteLearned: true };
    case 'limit':
      return { ...learn, limit: small(argument, name, uint32) };
    case 'result_dst':
      return { ...learn, result: readResult(argument, reading) };
    default:
      return undefined;
  }
}

function readResult(at: Span, reading: ParseContext): Subfield {
  const result = subfield(at, reading);
  checkWritable(at, result.field);
  if (result.bits !== 1) throw complain(at, `result_dst is a single bit, got ${result.bits}`);
  return result;
}

/**
 * `DST[]=SRC[]`, `FIELD[]`, `FIELD=VALUE`, `load:VALUE->DST[]`, `load:SRC[]->DST[]`,
 * `output:SRC[]`.
 */
function readSpec(
  { name, at, argument }: ActionText,
  reading: ParseContext,
  learned: Match,
): LearnSpec {
  if (name === 'output')
    return {
      kind: 'output',
      source: requireReadable(
        argument,
        numbered(argument, 'learn', subfield(argument, reading)),
        reading,
      ),
    };
  if (name === 'load') {
    const [from, to] = cut(argument, '->');
    if (to === undefined)
      throw complain(argument, `expected load:SOURCE->FIELD[], got "${shorten(argument.text)}"`);
    const destination = learnable(to, subfield(to, reading), learned, reading);
    checkWritable(to, destination.field);
    return { kind: 'load', destination, source: readSource(from, destination, reading, false) };
  }
  if (!isOfField(name))
    throw complain(at, `learn: "${shorten(name)}" is neither an option nor a field`);
  const destination = learnable(at, subfield({ ...at, text: name }, reading), learned, reading);
  const source =
    argument.text === ''
      ? requireReadable(at, destination, reading)
      : readSource(argument, destination, reading, true);
  return { kind: 'match', destination, source };
}

/** Whether it begins as `FIELD[…]` does; a name of OpenFlow's may say that there is a mask. */
function isOfField(text: string): boolean {
  return fieldsNamed(text.replace(/\[.*/s, '').replace(/_W$/, '')).length > 0;
}

/**
 * Bits of the packet, or a constant; one for a whole field is written as the field's values are.
 */
function readSource(
  at: Span,
  { field, bits }: Subfield,
  reading: ParseContext,
  inNotation: boolean,
): Subfield | bigint {
  if (isOfField(at.text)) {
    const source = requireReadable(at, numbered(at, 'learn', subfield(at, reading)), reading);
    if (source.bits !== bits) throw complain(at, `learn: ${bits} bits from ${source.bits} bits`);
    return source;
  }
  if (!inNotation || bits < field.bits) return parseNumber(at, field.name, ones(bits));
  const { value, mask } = parseMasked(field, at, reading.names.ports);
  if (mask !== field.ones)
    throw complain(
      at,
      `learn: ${field.name} takes a value without a mask, got "${shorten(at.text)}"`,
    );
  return value;
}

/** A field that packets of the learned flow have, by what it has been said to match so far. */
function learnable(
  at: Span,
  destination: Subfield,
  learned: Match,
  reading: ParseContext,
): Subfield {
  return requireReadable(at, numbered(at, 'learn', destination), {
    ...reading,
    packet: packetKnowledgeOf(learned),
  });
}

/** Parts of a field that takes no mask are not put together, unless all of it was said before. */
function withConstant(learned: Match, spec: LearnSpec): Match {
  if (spec.kind !== 'match' || typeof spec.source !== 'bigint') return learned;
  const { field, offset, bits } = spec.destination;
  const before = learned.find((entry) => entry.field === field);
  const mask = ones(bits) << BigInt(offset);
  const merged = {
    field,
    value: ((before?.value ?? 0n) & ~mask) | (spec.source << BigInt(offset)),
    mask: (before?.mask ?? 0n) | mask,
  };
  return field.maskable || merged.mask === field.ones
    ? [...learned.filter((entry) => entry.field !== field), merged]
    : learned;
}

export function printLearn(learn: LearnAction, form: Form): string {
  const parts = [
    `table=${printTable(learn.table, form)}`,
    learn.idleTimeout === 0 ? '' : `idle_timeout=${learn.idleTimeout}`,
    learn.hardTimeout === 0 ? '' : `hard_timeout=${learn.hardTimeout}`,
    learn.finIdleTimeout === 0 ? '' : `fin_idle_timeout=${learn.finIdleTimeout}`,
    learn.finHardTimeout === 0 ? '' : `fin_hard_timeout=${learn.finHardTimeout}`,
    learn.priority === defaults.priority ? '' : `priority=${learn.priority}`,
    learn.sendFlowRemoved ? 'send_flow_rem' : '',
    learn.deleteLearned ? 'delete_learned' : '',
    learn.cookie === 0n ? '' : `cookie=${hex(learn.cookie)}`,
    learn.limit === 0 ? '' : `limit=${learn.limit}`,
    learn.result === undefined ? '' : `result_dst=${printSubfield(learn.result)}`,
    ...learn.specs.map((spec) => printSpec(spec, form)),
  ];
  return `learn(${parts.filter((text) => text !== '').join(',')})`;
}

function printSpec(spec: LearnSpec, form: Form): string {
  if (spec.kind === 'output') return `output:${printSubfield(spec.source)}`;
  const { destination, source } = spec;
  if (spec.kind === 'load')
    return (
      `load:${typeof source === 'bigint' ? hex(source) : printSubfield(source)}-` +
      `>${printSubfield(destination)}`
    );
  if (typeof source !== 'bigint')
    return `${printSubfield(destination)}${isSame(source, destination) ? '' : `=${printSubfield(source)}`}`;
  if (destination.bits < destination.field.bits)
    return `${printSubfield(destination)}=${hex(source)}`;
  return (
    destination.field.name +
    `=${printAssigned(destination.field, { value: source, mask: destination.field.ones }, form)}`
  );
}

function isSame(a: Subfield, b: Subfield): boolean {
  return a.field === b.field && a.offset === b.offset;
}
