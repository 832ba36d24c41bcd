/**
 * Where a packet continues: other tables, copies, action sets, and the clauses of a conjunction.
 */
import type { Form } from '../../syntax/form.js';
import { parsePort, printPort, reservedPorts } from '../../syntax/ports.js';
import { matchesTracked } from '../../match/prerequisites.js';
import { complain, cut, parseNumber, shorten } from '../../syntax/text.js';
import type { Action, TableAction } from '../action.js';
import {
  hex,
  needed,
  printTable,
  small,
  table,
  uint32,
  uint64,
  type ActionText,
  type Reader,
  type ParseContext,
} from '../parse-context.js';

export const tableReaders: Readonly<Record<string, Reader>> = {
  goto_table: readGoto,
  resubmit: readResubmit,
  clone: (call, reading) => ({
    kind: 'clone',
    actions: reading.actions(call.argument, { ...reading, inside: 'clone' }),
  }),
  exit: () => ({ kind: 'exit' }),
  write_metadata: readWriteMetadata,
  write_actions: (call, reading) => ({
    kind: 'write_actions',
    actions: reading.actions(call.argument, { ...reading, inside: 'write_actions' }),
  }),
  clear_actions: () => ({ kind: 'clear_actions' }),
  meter: readMeter,
  conjunction: readConjunction,
};

function readGoto(call: ActionText, reading: ParseContext): Action {
  const to = table(needed(call), reading);
  if (reading.table !== undefined && to <= reading.table)
    throw complain(
      call.argument,
      `goto_table leads to a later table than ${reading.table}, got ${to}`,
    );
  return { kind: 'goto', table: to };
}

/**
 * `resubmit:PORT`, `resubmit(PORT)`, `resubmit(,TABLE)`, `resubmit(PORT,TABLE)`,
 * `resubmit(PORT,TABLE,ct)`.
 */
function readResubmit(call: ActionText, reading: ParseContext): Action {
  const [portText, rest] = cut(needed(call), ',');
  const [tableText, word] = rest === undefined ? [undefined, undefined] : cut(rest, ',');
  const by =
    portText.text === '' ? reservedPorts.IN_PORT : parsePort(portText, reading.names.ports);
  const to =
    tableText === undefined || tableText.text === '' || tableText.text === currentTable
      ? undefined
      : table(tableText, reading);
  if (by === reservedPorts.IN_PORT && to === undefined)
    throw complain(call.at, 'resubmit needs a port or a table');
  if (word !== undefined && word.text !== '' && word.text !== 'ct')
    throw complain(word, `resubmit: expected ct, got "${shorten(word.text)}"`);
  const original = word?.text === 'ct';
  if (original && reading.inside !== 'bucket' && !matchesTracked(reading.packet.match))
    throw complain(
      call.at,
      'resubmit with ct needs a match on a valid ct_state beside it, such as +trk-inv',
    );
  return {
    kind: 'resubmit',
    ...(by === reservedPorts.IN_PORT ? {} : { port: by }),
    ...(to === undefined ? {} : { table: to }),
    original,
  };
}

/** Stands for the table that the flow is in. */
const currentTable = '255';

/** `write_metadata:VALUE[/MASK]` */
function readWriteMetadata(call: ActionText): Action {
  const [value, mask] = cut(needed(call), '/');
  return {
    kind: 'write_metadata',
    value: parseNumber(value, 'metadata', uint64),
    mask: mask === undefined ? uint64 : parseNumber(mask, 'metadata', uint64),
  };
}

const lastMeter = 0xffff0000n;

function readMeter(call: ActionText, { protocol, inside }: ParseContext): Action {
  if (protocol === 'OpenFlow10') throw complain(call.at, 'meter is not there in OpenFlow 1.0');
  if (inside !== undefined && (inside !== 'bucket' || protocol !== 'OpenFlow15'))
    throw complain(call.at, `${inside} cannot hold meter`);
  const meter = small(needed(call), 'meter', lastMeter);
  if (meter === 0) throw complain(call.argument, 'meters have numbers from 1');
  return { kind: 'meter', meter };
}

const mostClauses = 64;

/** `conjunction(ID,CLAUSE/CLAUSES)` */
function readConjunction(call: ActionText): Action {
  const [id, rest] = cut(needed(call), ',');
  const [clause, clauses] = rest === undefined ? [undefined, undefined] : cut(rest, '/');
  if (clause === undefined || clauses === undefined)
    throw complain(
      call.at,
      `expected conjunction(ID,CLAUSE/CLAUSES), got "${shorten(call.at.text)}"`,
    );
  const most = small(clauses, 'clauses', BigInt(mostClauses));
  if (most < 2)
    throw complain(clauses, `a conjunction has 2 to ${mostClauses} clauses, got ${most}`);
  const which = small(clause, 'clause', BigInt(most));
  if (which < 1) throw complain(clause, `clauses have numbers from 1 to ${most}, got ${which}`);
  return {
    kind: 'conjunction',
    id: small(id, 'conjunction', uint32),
    clause: which,
    clauses: most,
  };
}

export function printTableAction(
  action: TableAction,
  form: Form,
  list: (actions: readonly Action[]) => string,
): string {
  switch (action.kind) {
    case 'goto':
      return `goto_table:${printTable(action.table, form)}`;
    case 'resubmit':
      return printResubmit(action, form);
    case 'clone':
    case 'write_actions':
      return `${action.kind}(${list(action.actions)})`;
    case 'exit':
    case 'clear_actions':
      return action.kind;
    case 'write_metadata':
      return `write_metadata:${hex(action.value)}${action.mask === uint64 ? '' : `/${hex(action.mask)}`}`;
    case 'meter':
      return `meter:${action.meter}`;
    case 'conjunction':
      return `conjunction(${action.id},${action.clause}/${action.clauses})`;
  }
}

/** Open vSwitch leaves `ct` out where there is no table. */
function printResubmit(
  { port: by, table: to, original }: Extract<TableAction, { kind: 'resubmit' }>,
  form: Form,
): string {
  const text = by === undefined ? '' : printPort(by, form.ports);
  return to === undefined
    ? `resubmit:${text}`
    : `resubmit(${text},${printTable(to, form)}${original ? ',ct' : ''})`;
}
