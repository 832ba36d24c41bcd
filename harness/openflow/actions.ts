/** Actions: what a flow does (ovs-actions(7)). An action that is not here is refused by name, never skipped. */
import { fieldsNamed, type Field } from './fields.js';
import { noNames, type Names } from './form.js';
import type { Match } from './match.js';
import { parsePort, printPort, reservedPorts, type PortNames } from './ports.js';
import { fieldIn, matchesInvalid, matchesIp } from './prerequisites.js';
import { complain, cut, lastTable, parseNumber, part, shorten, split, type Span } from './text.js';
import { parseMasked, printAssigned } from './values.js';

/** `bits` bits of a field, from bit `offset` up. */
export interface Subfield {
  readonly field: Field;
  readonly offset: number;
  readonly bits: number;
}

export type Action =
  | { readonly kind: 'output'; readonly port: number }
  | { readonly kind: 'output-field'; readonly source: Subfield }
  | { readonly kind: 'goto'; readonly table: number }
  /** `table` is the current one unless told; `port` stands for in_port during the lookup. */
  | { readonly kind: 'resubmit'; readonly port?: number; readonly table?: number }
  /** set_field, load and mod_*: the bits of `mask` take those of `value`. */
  | { readonly kind: 'set'; readonly field: Field; readonly value: bigint; readonly mask: bigint }
  | { readonly kind: 'move'; readonly source: Subfield; readonly destination: Subfield }
  | { readonly kind: 'dec_ttl' }
  | CtAction;

/** Sends the packet through the connection tracker; with `table`, it goes on there afterwards. */
export interface CtAction {
  readonly kind: 'ct';
  readonly commit: boolean;
  readonly zone: number;
  readonly table?: number;
  readonly exec: readonly Action[];
}

/** What the actions of a flow depend on. */
export interface ActionsContext {
  readonly table: number;
  readonly match: Match;
  readonly ports: PortNames;
  readonly names: Names;
}

/**
 * An empty list is `drop`. Refused is also what Open vSwitch refuses beside this match: writing or reading fields that its packets
 * do not have, going back to an earlier table, actions behind goto_table.
 */
export function parseActions(whole: Span, context: ActionsContext): readonly Action[] {
  const pieces = split(whole, /[,\s]/);
  if (pieces.length === 0) throw complain(whole, 'expected actions after "actions=", or "drop"');
  if (pieces.length === 1 && pieces[0]?.text === 'drop') return [];
  let gone = false;
  return pieces.map((piece) => {
    if (gone) throw complain(piece, `goto_table comes last, "${shorten(piece.text)}" stands behind it`);
    const action = parseAction(piece, context);
    gone = action.kind === 'goto';
    return action;
  });
}

/** In the form of `ovs-ofctl -O OpenFlow15 dump-flows --no-names`. */
export function printActions(actions: readonly Action[]): string {
  return actions.length === 0 ? 'drop' : actions.map(printAction).join(',');
}

/** `mod_…:VALUE` and the field it sets. */
const modActions: Readonly<Record<string, string>> = {
  mod_dl_src: 'eth_src', mod_dl_dst: 'eth_dst', mod_nw_src: 'ip_src', mod_nw_dst: 'ip_dst', mod_nw_ttl: 'nw_ttl', set_tunnel64: 'tun_id', set_tunnel: 'tun_id',
};

function parseAction(piece: Span, context: ActionsContext): Action {
  const { match, ports } = context;
  if (piece.text.startsWith('"')) return { kind: 'output', port: parseOutputPort(piece, ports) };
  const [, name = '', separator] = /^([A-Za-z0-9_]+)([:=(]?)/.exec(piece.text) ?? [];
  if (name === '') throw complain(piece, `expected an action, got "${shorten(piece.text)}"`);
  const argument = separator === '(' ? inParentheses(piece, name.length) : separator === '' ? undefined : part(piece, name.length + 1);
  const needed = (): Span => {
    if (argument === undefined || argument.text === '') throw complain(piece, `${shorten(name)} needs an argument`);
    return argument;
  };
  const needsIp = (): void => {
    if (!matchesIp(match)) throw complain(piece, `${name} needs a match on ip or ipv6 beside it`);
  };
  const modified = Object.hasOwn(modActions, name) ? modActions[name] : undefined;
  if (modified !== undefined) return parseSet(writableField(piece, modified, match), needed(), ports);
  switch (name) {
    case 'output':
      return parseOutput(needed(), context);
    case 'goto_table':
      return parseGoto(needed(), context.table);
    case 'resubmit':
      return parseResubmit(piece, needed(), ports);
    case 'load':
      return parseLoad(needed(), match);
    case 'set_field':
      return parseSetField(needed(), context);
    case 'move':
      return parseMove(needed(), match);
    case 'dec_ttl':
      needsIp();
      if (argument !== undefined) throw complain(argument, 'dec_ttl with controller ids is not known here');
      return { kind: 'dec_ttl' };
    case 'ct':
      needsIp();
      return parseCt(argument ?? { ...piece, text: '' }, context);
    case 'CONTROLLER':
      if (argument !== undefined && argument.text !== wholePacket) throw complain(argument, `CONTROLLER: expected ${wholePacket}, got "${shorten(argument.text)}"`);
      return { kind: 'output', port: reservedPorts.CONTROLLER };
    case 'drop':
      throw complain(piece, 'drop stands alone, without other actions');
    default:
      if (argument === undefined && (ports.has(name) || name.toUpperCase() in reservedPorts || /^\d+$/.test(name))) return { kind: 'output', port: parseOutputPort(piece, ports) };
      throw complain(piece, `unknown action "${shorten(piece.text)}"`);
  }
}

/** What a controller gets of a packet: all of it. */
const wholePacket = '65535';

function inParentheses(piece: Span, open: number): Span {
  if (!piece.text.endsWith(')')) throw complain(piece, `expected ")" at the end of "${shorten(piece.text)}"`);
  return part(piece, open + 1, piece.text.length - 1);
}

function parseOutput(argument: Span, { match, ports }: ActionsContext): Action {
  const name = argument.text.replace(/\[.*/, '');
  const isField = argument.text.includes('[') || (!ports.has(name) && name.toUpperCase() !== 'IN_PORT' && fieldsNamed(name).length > 0);
  if (!isField) return { kind: 'output', port: parseOutputPort(argument, ports) };
  const source = parseSubfield(argument, match);
  if (source.bits > longestOutput) throw complain(argument, `output takes at most ${longestOutput} bits, got ${source.bits}`);
  return { kind: 'output-field', source };
}

/** Open vSwitch has six bits for the length, and takes what is left of a greater one. */
const longestOutput = 64;

function parseOutputPort(at: Span, ports: PortNames): number {
  const port = parsePort(at, ports);
  if (port === reservedPorts.ANY) throw complain(at, `"${at.text}" is no port that packets leave by`);
  return port;
}

function parseTable(at: Span): number {
  return Number(parseNumber(at, 'table', lastTable));
}

function parseGoto(at: Span, from: number): Action {
  const table = parseTable(at);
  if (table <= from) throw complain(at, `goto_table leads to a later table than ${from}, got ${table}`);
  return { kind: 'goto', table };
}

/** `resubmit:PORT`, `resubmit(PORT)`, `resubmit(,TABLE)`, `resubmit(PORT,TABLE)`. */
function parseResubmit(piece: Span, argument: Span, ports: PortNames): Action {
  const [portText, tableText] = cut(argument, ',');
  const port = portText.text === '' ? reservedPorts.IN_PORT : parsePort(portText, ports);
  const table = tableText === undefined || tableText.text === '' ? undefined : parseTable(tableText);
  if (port === reservedPorts.IN_PORT && table === undefined) throw complain(piece, 'resubmit needs a port or a table');
  return { kind: 'resubmit', ...(port === reservedPorts.IN_PORT ? {} : { port }), ...(table === undefined ? {} : { table }) };
}

/** `FIELD`, `FIELD[]`, `FIELD[BIT]`, `FIELD[FROM..TO]`. */
function parseSubfield(at: Span, match: Match): Subfield {
  const [, name = '', , from, to] = /^([A-Za-z0-9_]+)(\[(?:(\d{1,4})(?:\.\.(\d{1,4}))?)?\])?$/.exec(at.text) ?? [];
  if (name === '') throw complain(at, `expected a field such as NXM_NX_REG0[0..15], got "${shorten(at.text)}"`);
  const field = fieldIn(at, name, match);
  const offset = from === undefined ? 0 : Number(from);
  const last = to !== undefined ? Number(to) : from !== undefined ? offset : field.bits - 1;
  if (last < offset || last >= field.bits) throw complain(at, `${field.name} has bits 0 to ${field.bits - 1}, got ${offset}..${last}`);
  return { field, offset, bits: last - offset + 1 };
}

function writableField(at: Span, name: string, match: Match): Field {
  return checkWritable(at, fieldIn(at, name, match), 'anywhere');
}

function checkWritable(at: Span, field: Field, place: 'anywhere' | 'in ct'): Field {
  if (place === 'in ct' && field.writable !== 'in ct') throw complain(at, 'ct: exec() may only set ct_mark and ct_label');
  if (place === 'anywhere' && field.writable === 'in ct') throw complain(at, `${field.name} can only be written in ct(commit,exec(...))`);
  if (field.writable === 'nowhere') throw complain(at, `${field.name} cannot be written`);
  return field;
}

function parseSet(field: Field, at: Span, ports: PortNames): Action {
  const masked = parseMasked(field, at, ports);
  if (masked.mask === 0n) throw complain(at, `${at.text} sets nothing: its mask is zero`);
  return { kind: 'set', field, ...masked };
}

/** `set_field:VALUE[/MASK]->FIELD` */
function parseSetField(argument: Span, { match, ports }: ActionsContext, place: 'anywhere' | 'in ct' = 'anywhere'): Action {
  const [value, name] = cut(argument, '->');
  if (name === undefined) throw complain(argument, `expected set_field:VALUE->FIELD, got "${shorten(argument.text)}"`);
  return parseSet(checkWritable(name, fieldIn(name, name.text, match), place), value, ports);
}

/** `load:NUMBER->FIELD[FROM..TO]` */
function parseLoad(argument: Span, match: Match, place: 'anywhere' | 'in ct' = 'anywhere'): Action {
  const [value, target] = cut(argument, '->');
  if (target === undefined) throw complain(argument, `expected load:VALUE->FIELD[], got "${shorten(argument.text)}"`);
  const { field, offset, bits } = parseSubfield(target, match);
  checkWritable(target, field, place);
  if (bits < field.bits && !field.maskable) throw complain(target, `${field.name} is written as a whole here`);
  const ones = (1n << BigInt(bits)) - 1n;
  const number = parseNumber(value, field.name, ones) << BigInt(offset);
  if ((number & ~field.ones) !== 0n) throw complain(value, `${field.name} cannot be ${value.text}: it has the bits 0x${field.ones.toString(16)}`);
  return { kind: 'set', field, value: number, mask: (ones << BigInt(offset)) & field.ones };
}

/** `move:FIELD[…]->FIELD[…]` */
function parseMove(argument: Span, match: Match): Action {
  const [from, to] = cut(argument, '->');
  if (to === undefined) throw complain(argument, `expected move:FIELD[]->FIELD[], got "${shorten(argument.text)}"`);
  const source = parseSubfield(from, match);
  const destination = parseSubfield(to, match);
  if (source.bits !== destination.bits) throw complain(argument, `move from ${source.bits} bits to ${destination.bits} bits`);
  checkWritable(to, destination.field, 'anywhere');
  return { kind: 'move', source, destination };
}

function parseCt(argument: Span, { match, ports }: ActionsContext): CtAction {
  let ct: CtAction = { kind: 'ct', commit: false, zone: 0, exec: [] };
  for (const option of split(argument, /[,\s]/)) {
    const [, name = '', separator] = /^([a-z_]+)([=(]?)/.exec(option.text) ?? [];
    if (name === 'commit' && separator === '') ct = { ...ct, commit: true };
    else if (name === 'table' && separator === '=') ct = { ...ct, table: parseTable(part(option, 6)) };
    else if (name === 'zone' && separator === '=') ct = { ...ct, zone: Number(parseNumber(part(option, 5), 'zone', 0xffffn)) };
    else if (name === 'exec' && separator === '(') ct = { ...ct, exec: parseExec(inParentheses(option, 4), ports) };
    else throw complain(option, `ct: "${shorten(option.text)}" is not known here; known are commit, table=, zone=, exec()`);
  }
  if (ct.exec.length > 0 && !ct.commit) throw complain(argument, 'ct: exec() needs commit');
  if (ct.commit && matchesInvalid(match)) throw complain(argument, 'ct: what matches ct_state=+inv cannot be committed');
  return ct;
}

function parseExec(inside: Span, ports: PortNames): readonly Action[] {
  return split(inside, /[,\s]/).map((piece) => {
    const [whole = '', name] = /^(set_field|load)[:=]/.exec(piece.text) ?? [];
    if (name === undefined) throw complain(piece, 'ct: exec() may only set ct_mark and ct_label');
    const argument = part(piece, whole.length);
    return name === 'load' ? parseLoad(argument, [], 'in ct') : parseSetField(argument, { table: 0, match: [], ports, names: noNames }, 'in ct');
  });
}

function printAction(action: Action): string {
  switch (action.kind) {
    case 'output':
      return printOutput(action.port);
    case 'output-field':
      return `output:${printSubfield(action.source)}`;
    case 'goto':
      return `goto_table:${action.table}`;
    case 'resubmit':
      return action.table === undefined ? `resubmit:${printPort(action.port ?? 0)}` : `resubmit(${action.port === undefined ? '' : printPort(action.port)},${action.table})`;
    case 'set':
      return `set_field:${printAssigned(action.field, action)}->${action.field.name}`;
    case 'move':
      return `move:${printSubfield(action.source)}->${printSubfield(action.destination)}`;
    case 'dec_ttl':
      return 'dec_ttl';
    case 'ct':
      return printCt(action);
  }
}

function printOutput(port: number): string {
  if (port === reservedPorts.CONTROLLER) return `CONTROLLER:${wholePacket}`;
  return port >= reservedPorts.IN_PORT ? printPort(port) : `output:${printPort(port)}`;
}

function printSubfield({ field, offset, bits }: Subfield): string {
  const range = bits === field.bits ? '' : bits === 1 ? String(offset) : `${offset}..${offset + bits - 1}`;
  return `${field.nxm}[${range}]`;
}

function printCt(ct: CtAction): string {
  const parts = [
    ct.commit ? 'commit' : '',
    ct.table === undefined ? '' : `table=${ct.table}`,
    ct.zone === 0 ? '' : `zone=${ct.zone}`,
    ct.exec.length === 0 ? '' : `exec(${printActions(ct.exec)})`,
  ];
  return `ct(${parts.filter((text) => text !== '').join(',')})`;
}
