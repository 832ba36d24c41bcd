/** The flows of a bridge, out of what a person has of them. */
import { formatPlace, InputError } from '../base/errors/errors.js';
import { parseDumpedFlow, printFlow, type DumpedFlow } from '../openflow/flows/flow.js';
import type { Names, TableNames } from '../openflow/syntax/form.js';
import { unquote } from '../openflow/syntax/ports.js';
import { actionsReader, type ActionsReader } from '../openflow/actions/known-actions.js';
import { flowLines, type FlowLine } from './pasted/flow-lines.js';
import { undoMarkup } from './pasted/undo-markup.js';
import type { TextSource } from './text-source.js';
import { AssignedPorts } from './assigned-ports.js';

export interface FlowDump {
  readonly flows: readonly DumpedFlow[];
  /** The tables that have names in it, numbered here where nobody else does. */
  readonly tables: TableNames;
  /** What was undone, left out, or cannot be known. */
  readonly notes: readonly string[];
}

/** Called for each flow before it is read, with its index, from 0, and how many there are. */
export type OnFlow = (index: number, count: number) => void;

/** Open vSwitch keeps it to itself: no controller sees or makes its flows. */
const hiddenTable = /^\s*table_id=254,/;

/**
 * Reads `ovs-ofctl dump-flows` and `ovs-appctl bridge/dump-flows` in any form, as it stands in a
 * report.
 * @throws InputError with file, line and column of what is no flow, and of a line that is broken so
 *   that it can be read in two ways.
 */
export function readFlowDump(source: TextSource, names: Names, onFlow?: OnFlow): FlowDump {
  const undone = undoMarkup(source);
  const { lines, heads, notes } = flowLines(undone);
  const ofBridge = lines.filter(([first]) => !hiddenTable.test(first?.text ?? ''));
  const hidden = lines.length - ofBridge.length;
  const tables = names.tables.size > 0 ? names.tables : numberedTables(ofBridge);
  const named = { ...names, tables };
  const isHardWrapped = wrapsAtOneWidth(ofBridge);
  const readActions = actionsReader();
  const flows = ofBridge.map((line, index) => {
    onFlow?.(index, ofBridge.length);
    // What was counted is of no use here, and would stay in memory.
    const { flow, onlyBy } = readWhole(line, {
      names: named,
      file: source.file,
      isHardWrapped,
      readActions,
    });
    return { flow, ...(onlyBy === undefined ? {} : { onlyBy }) };
  });
  const numbered = tables === names.tables ? [] : [...tables];
  return {
    flows,
    tables,
    notes: [
      ...undone.notes,
      ...notes,
      ...(hidden === 0
        ? []
        : [`${source.file}: ${hidden} flows of table 254, which Open vSwitch keeps, left out`]),
      ...(numbered.length === 0
        ? []
        : [
            `${source.file}: tables have names, and nothing says their numbers: in the order of ` +
              `the dump ${numbered.map(([name, number]) => `${name} is ${number}`).join(', ')}`,
          ]),
      ...(heads.some((head) => head.startsWith('NXST_FLOW')) ? [openflow10Note(source.file)] : []),
    ],
  };
}

function openflow10Note(file: string): string {
  return (
    `${file} is a dump in OpenFlow 1.0, which has no words for meters, write_actions, goto_table ` +
    'and groups, and shows others in their place: dump with "ovs-ofctl -O OpenFlow15 dump-flows" ' +
    'where there may be any'
  );
}

interface ReadingContext {
  readonly names: Names;
  readonly file: string;
  readonly isHardWrapped: boolean;
  readonly readActions: ActionsReader;
}

function readWhole(flow: FlowLine, context: ReadingContext): DumpedFlow {
  const { names, file, isHardWrapped, readActions } = context;
  const [only = { text: '', line: 1 }, ...more] = flow;
  const place = { file, line: only.line };
  if (more.length === 0) return parseDumpedFlow(only.text, names, place, readActions);
  const apart = attempt(flow, ' ', context);
  const together = attempt(flow, '', context);
  if (apart.flow === undefined && together.flow === undefined)
    throw further(apart.error, together.error);
  if (apart.flow === undefined) return read(flow, '', context);
  if (together.flow === undefined) return read(flow, ' ', context);
  const texts = [apart.flow, together.flow].map((one) => printFlow(one.flow));
  if (texts[0] === texts[1] && apart.newPorts === together.newPorts)
    return read(flow, ' ', context);
  if (isHardWrapped) return read(flow, '', context);
  throw new InputError(
    `this flow is broken into ${flow.length} lines and can be read in two ways, as ` +
      `"${texts[0]}" or as "${texts[1]}"${portsOf(apart, together)}: write it on one line`,
    place,
  );
}

/** @throws InputError with the line of the piece that is wrong. */
function read(flow: FlowLine, separator: string, { names, file }: ReadingContext): DumpedFlow {
  const pieces = flow.map(({ text, line }) => ({ text: text.trimEnd(), line }));
  const place = { file, line: pieces[0]?.line ?? 1 };
  try {
    return parseDumpedFlow(pieces.map(({ text }) => text).join(separator), names, place);
  } catch (error) {
    if (!(error instanceof InputError) || error.place?.column === undefined) throw error;
    const message = error.message.replace(`${formatPlace(error.place)}: `, '');
    let column = error.place.column;
    for (const { text, line } of pieces) {
      if (column <= text.length) throw new InputError(message, { file, line, column });
      column -= text.length + separator.length;
    }
    throw error;
  }
}

interface Attempt {
  readonly flow?: DumpedFlow;
  readonly error?: InputError;
  /** The names of ports that no flow before has. */
  readonly newPorts: string;
}

/** The same, but that names of ports which only this reading has get no numbers. */
function attempt(flow: FlowLine, separator: string, context: ReadingContext): Attempt {
  const { ports } = context.names;
  const { size } = ports;
  const newPorts = () => [...ports.keys()].slice(size).join(', ');
  try {
    const dumped = read(flow, separator, context);
    return { flow: dumped, newPorts: newPorts() };
  } catch (error) {
    if (error instanceof InputError) return { error, newPorts: newPorts() };
    throw error;
  } finally {
    if (ports instanceof AssignedPorts) ports.forgetBeyond(size);
  }
}

/** Where the readings differ in the names of ports alone, their numbers do not show it. */
function portsOf(one: Attempt, other: Attempt): string {
  return one.newPorts === other.newPorts
    ? ''
    : ` (ports ${one.newPorts}, or ports ${other.newPorts})`;
}

/** The complaint that comes further: up to there it was read. */
function further(one: InputError | undefined, other: InputError | undefined): InputError {
  const isBehind =
    (other?.place?.line ?? 0) - (one?.place?.line ?? 0) ||
    (other?.place?.column ?? 0) - (one?.place?.column ?? 0);
  return (isBehind > 0 ? other : one) ?? new InputError('expected a flow');
}

/**
 * A terminal breaks lines at its last column: all pieces but the last of each flow are as long, no
 * line is longer, and there are several.
 */
function wrapsAtOneWidth(lines: readonly FlowLine[]): boolean {
  const broken = lines.flatMap((pieces) => pieces.slice(0, -1).map(({ text }) => text.length));
  const width = Math.max(...broken, 0);
  return (
    broken.length > 1 &&
    broken.every((length) => length === width) &&
    lines.every((pieces) => pieces.every(({ text }) => text.length <= width))
  );
}

const ownTable = /(?:^|[\s,])table[=:]\s*("[^"]*"|\w[^,\s]*)/;
const leadingTo = /\b(?:goto_table:|resubmit\([^,)]*,)("[^"]*"|\w[\w.-]*)/g;

/**
 * Tables that have names: a dump is in the order of its tables, so that each gets the next number
 * behind those before it which nobody else has. Those that are only led to come behind all.
 */
function numberedTables(lines: readonly FlowLine[]): TableNames {
  const texts = lines.map((pieces) => pieces.map(({ text }) => text).join(''));
  const known = new Map<string, number>();
  const owns = texts.map(
    (text) => ownTable.exec(text.replace(/\bactions\s*=.*$/s, ''))?.[1] ?? '0',
  );
  const taken = new Set([
    ...owns.filter((own) => /^\d+$/.test(own)).map(Number),
    ...texts.flatMap((text) => [...numbersOfTables(text)]),
  ]);
  let last = -1;
  const put = (text: string) => {
    let number = last + 1;
    while (taken.has(number)) number++;
    taken.add(number);
    known.set(unquote(text), number);
    last = number;
  };
  for (const own of owns) {
    if (/^\d+$/.test(own)) last = Math.max(last, Number(own));
    else if (!known.has(unquote(own))) put(own);
  }
  last = Math.max(last, ...taken);
  for (const text of texts)
    for (const [, name = ''] of text.matchAll(leadingTo))
      if (!/^\d/.test(name) && !known.has(unquote(name))) put(name);
  return known;
}

/** Of its own table, and of those that it leads to. */
function* numbersOfTables(text: string): Generator<number> {
  for (const [, name = ''] of text.matchAll(leadingTo)) if (/^\d+$/.test(name)) yield Number(name);
  for (const [, number] of text.matchAll(/(?:^|[\s,(])table[=:]\s*(\d+)/g)) yield Number(number);
}
