/** Actions: what a flow does (ovs-actions(7)). An action that is not here is refused by name, never skipped. */
import { fieldByName, fullMask, type Field } from './fields.js';
import { parsePort, printPort, reservedPorts, type PortNames } from './ports.js';
import { complain, cut, parseNumber, part, shorten, split, type Span } from './text.js';
import { parseMasked, parseValue, printMasked, printValue } from './values.js';

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

/** An empty list is `drop`. */
export function parseActions(whole: Span, ports: PortNames): readonly Action[] {
  const pieces = split(whole, /[,\s]/);
  if (pieces.length === 0) throw complain(whole, 'expected actions after "actions=", or "drop"');
  if (pieces.length === 1 && pieces[0]?.text === 'drop') return [];
  return pieces.map((piece) => parseAction(piece, ports));
}

/** In the form of `ovs-ofctl -O OpenFlow15 dump-flows --no-names`. */
export function printActions(actions: readonly Action[]): string {
  return actions.length === 0 ? 'drop' : actions.map(printAction).join(',');
}

/** `mod_…:VALUE` and the field it sets. */
const modActions: Readonly<Record<string, string>> = {
  mod_dl_src: 'eth_src', mod_dl_dst: 'eth_dst', mod_nw_src: 'ip_src', mod_nw_dst: 'ip_dst', mod_nw_ttl: 'nw_ttl', set_tunnel64: 'tun_id', set_tunnel: 'tun_id',
};

function parseAction(piece: Span, ports: PortNames): Action {
  const [, name = '', separator] = /^([A-Za-z0-9_]+)([:=(]?)/.exec(piece.text) ?? [];
  if (name === '') throw complain(piece, `expected an action, got "${shorten(piece.text)}"`);
  const argument = separator === '(' ? inParentheses(piece, name.length) : separator === '' ? undefined : part(piece, name.length + 1);
  const needed = (): Span => {
    if (argument === undefined || argument.text === '') throw complain(piece, `${name} needs an argument`);
    return argument;
  };
  const modified = modActions[name];
  if (modified !== undefined) return parseSet(requiredField(piece, modified), needed(), ports);
  switch (name) {
    case 'output':
      return parseOutput(needed(), ports);
    case 'goto_table':
      return { kind: 'goto', table: parseTable(needed()) };
    case 'resubmit':
      return parseResubmit(piece, needed(), ports);
    case 'load':
      return parseLoad(needed(), ports);
    case 'set_field':
      return parseSetField(needed(), ports);
    case 'move':
      return parseMove(needed());
    case 'dec_ttl':
      if (argument !== undefined) throw complain(argument, 'dec_ttl with controller ids is not known here');
      return { kind: 'dec_ttl' };
    case 'ct':
      return parseCt(argument ?? { ...piece, text: '' }, ports);
    default:
      if (argument === undefined && (ports.has(name) || name.toUpperCase() in reservedPorts || /^\d+$/.test(name))) return { kind: 'output', port: parsePort(piece, ports) };
      throw complain(piece, `unknown action "${shorten(piece.text)}"`);
  }
}

function inParentheses(piece: Span, open: number): Span {
  if (!piece.text.endsWith(')')) throw complain(piece, `expected ")" at the end of "${shorten(piece.text)}"`);
  return part(piece, open + 1, piece.text.length - 1);
}

function parseOutput(argument: Span, ports: PortNames): Action {
  return argument.text.includes('[') ? { kind: 'output-field', source: parseSubfield(argument) } : { kind: 'output', port: parsePort(argument, ports) };
}

function parseTable(at: Span): number {
  return Number(parseNumber(at, 'table', 254n));
}

/** `resubmit:PORT`, `resubmit(PORT)`, `resubmit(,TABLE)`, `resubmit(PORT,TABLE)`. */
function parseResubmit(piece: Span, argument: Span, ports: PortNames): Action {
  const [port, table] = cut(argument, ',');
  if (port.text === '' && table === undefined) throw complain(piece, 'resubmit needs a port or a table');
  return {
    kind: 'resubmit',
    ...(port.text === '' ? {} : { port: parsePort(port, ports) }),
    ...(table === undefined || table.text === '' ? {} : { table: parseTable(table) }),
  };
}

/** `FIELD`, `FIELD[]`, `FIELD[BIT]`, `FIELD[FROM..TO]`. */
export function parseSubfield(at: Span): Subfield {
  const [, name = '', , from, to] = /^([A-Za-z0-9_]+)(\[(?:(\d{1,4})(?:\.\.(\d{1,4}))?)?\])?$/.exec(at.text) ?? [];
  if (name === '') throw complain(at, `expected a field such as NXM_NX_REG0[0..15], got "${shorten(at.text)}"`);
  const field = requiredField(at, name);
  const offset = from === undefined ? 0 : Number(from);
  const last = to !== undefined ? Number(to) : from !== undefined ? offset : field.bits - 1;
  if (last < offset || last >= field.bits) throw complain(at, `${field.name} has bits 0 to ${field.bits - 1}, got ${offset}..${last}`);
  return { field, offset, bits: last - offset + 1 };
}

function requiredField(at: Span, name: string): Field {
  const field = fieldByName(name);
  if (field === undefined) throw complain(at, `unknown field "${shorten(name)}"`);
  return field;
}

function parseSet(field: Field, value: Span, ports: PortNames): Action {
  if (!field.writable) throw complain(value, `${field.name} cannot be written`);
  return { kind: 'set', field, ...parseMasked(field, value, ports) };
}

/** `set_field:VALUE[/MASK]->FIELD` */
function parseSetField(argument: Span, ports: PortNames): Action {
  const [value, name] = cut(argument, '->');
  if (name === undefined) throw complain(argument, `expected set_field:VALUE->FIELD, got "${shorten(argument.text)}"`);
  return parseSet(requiredField(name, name.text), value, ports);
}

/** `load:VALUE->FIELD[FROM..TO]` */
function parseLoad(argument: Span, ports: PortNames): Action {
  const [value, target] = cut(argument, '->');
  if (target === undefined) throw complain(argument, `expected load:VALUE->FIELD[], got "${shorten(argument.text)}"`);
  const { field, offset, bits } = parseSubfield(target);
  if (!field.writable) throw complain(target, `${field.name} cannot be written`);
  const number = parseValue(field, value, ports);
  const ones = (1n << BigInt(bits)) - 1n;
  if (number > ones) throw complain(value, `${value.text} does not fit into ${bits} bits of ${field.name}`);
  return { kind: 'set', field, value: number << BigInt(offset), mask: ones << BigInt(offset) };
}

/** `move:FIELD[…]->FIELD[…]` */
function parseMove(argument: Span): Action {
  const [from, to] = cut(argument, '->');
  if (to === undefined) throw complain(argument, `expected move:FIELD[]->FIELD[], got "${shorten(argument.text)}"`);
  const source = parseSubfield(from);
  const destination = parseSubfield(to);
  if (source.bits !== destination.bits) throw complain(argument, `move from ${source.bits} bits to ${destination.bits} bits`);
  if (!destination.field.writable) throw complain(to, `${destination.field.name} cannot be written`);
  return { kind: 'move', source, destination };
}

function parseCt(argument: Span, ports: PortNames): CtAction {
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
  return ct;
}

function parseExec(inside: Span, ports: PortNames): readonly Action[] {
  return split(inside, /[,\s]/).map((piece) => {
    const action = parseAction(piece, ports);
    if (action.kind !== 'set' || !/^ct_(mark|label)$/.test(action.field.name)) throw complain(piece, 'ct: exec() may only set ct_mark and ct_label');
    return action;
  });
}

function printAction(action: Action): string {
  switch (action.kind) {
    case 'output':
      return (action.port >= reservedPorts.IN_PORT && action.port !== reservedPorts.NONE) ? printPort(action.port) : `output:${printPort(action.port)}`;
    case 'output-field':
      return `output:${printSubfield(action.source)}`;
    case 'goto':
      return `goto_table:${action.table}`;
    case 'resubmit':
      return action.table === undefined ? `resubmit:${printPort(action.port ?? 0)}` : `resubmit(${action.port === undefined ? '' : printPort(action.port)},${action.table})`;
    case 'set':
      return `set_field:${printSetValue(action.field, action.value, action.mask)}->${action.field.name}`;
    case 'move':
      return `move:${printSubfield(action.source)}->${printSubfield(action.destination)}`;
    case 'dec_ttl':
      return 'dec_ttl';
    case 'ct':
      return printCt(action);
  }
}

function printSetValue(field: Field, value: bigint, mask: bigint): string {
  return mask === fullMask(field) ? printValue(field, value) : printMasked(field, { value, mask });
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
