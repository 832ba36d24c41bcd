/** The flows of a bridge, out of what a person has of them. */
import { formatPlace, InputError } from '../base/errors/errors.js';
import { parseDumpedFlow, printFlow, type DumpedFlow } from '../openflow/flows/flow.js';
import type { Names, TableNames } from '../openflow/syntax/form.js';
import { maskedSet, readableSet } from './readable-set.js';
import { actionsReader, type ActionsReader } from '../openflow/actions/known-actions.js';
import { flowLines, type FlowLine } from './pasted/flow-lines.js';
import { repeatedFlows } from './repeated-flows.js';
import { undoMarkup } from './pasted/undo-markup.js';
import type { TextSource } from './text-source.js';
import { AssignedPorts } from './assigned-ports.js';
import { numberedTables } from './numbered-tables.js';

export interface FlowDump {
  readonly flows: readonly DumpedFlow[];
  /** Those that OpenFlow 1.5 takes, as they stand in the dump, each on one line. */
  readonly texts: readonly string[];
  /** The tables that have names in it, numbered here where nobody else does. */
  readonly tables: TableNames;
  /** Whether a switch knows the names of tables. */
  readonly tablesAre: 'known' | 'numbered here';
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
 * @param groups texts of groups: tables that they name are numbered with those of flows.
 * @throws InputError with file, line and column of what is no flow, and of a line that is broken so
 *   that it can be read in two ways.
 */
export function readFlowDump(
  source: TextSource,
  names: Names,
  onFlow?: OnFlow,
  groups: readonly string[] = [],
): FlowDump {
  const undone = undoMarkup(source);
  const { lines, heads, order, notes } = flowLines(undone);
  const ofBridge = lines.filter(([first]) => !hiddenTable.test(first?.text ?? ''));
  const hidden = lines.length - ofBridge.length;
  const tables = names.tables.size > 0 ? names.tables : numberedTables(ofBridge, groups);
  const named = { ...names, tables };
  const isHardWrapped = wrapsAtOneWidth(ofBridge);
  const readActions = actionsReader();
  const all = ofBridge.map((line, index) => {
    onFlow?.(index, ofBridge.length);
    // What was counted is of no use here, and would stay in memory.
    const { text, dumped } = readWhole(line, {
      names: named,
      file: source.file,
      isHardWrapped,
      readActions,
    });
    const { flow, onlyBy } = dumped;
    return {
      flow,
      line: line[0]?.line ?? 1,
      text: asOfctlReads(text),
      ...(onlyBy === undefined ? {} : { onlyBy }),
    };
  });
  const repeated = repeatedFlows(all, source.file, order);
  const flows = all.filter((_, index) => !repeated.replaced.has(index));
  const texts = flows.flatMap(({ text, onlyBy }) => (onlyBy === undefined ? [text] : []));
  const numbered = tables === names.tables ? [] : [...tables];
  return {
    flows,
    // Names that nobody else numbers the switch does not know.
    texts: numbered.length === 0 ? texts : canonicalTexts(flows),
    tables,
    tablesAre: numbered.length === 0 ? 'known' : 'numbered here',
    notes: [
      ...undone.notes,
      ...notes,
      ...repeated.notes,
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

function canonicalTexts(flows: readonly DumpedFlow[]): readonly string[] {
  return flows.flatMap(({ flow, onlyBy }) => (onlyBy === undefined ? [printFlow(flow)] : []));
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

/** A flow, and the text that it was read of. */
interface WholeFlow {
  readonly text: string;
  readonly dumped: DumpedFlow;
}

function readWhole(flow: FlowLine, context: ReadingContext): WholeFlow {
  const { names, file, isHardWrapped, readActions } = context;
  const [only = { text: '', line: 1 }, ...more] = flow;
  const place = { file, line: only.line };
  if (more.length === 0)
    return { text: only.text, dumped: parseDumpedFlow(only.text, names, place, readActions) };
  const whole = (separator: string): WholeFlow => ({
    text: joined(flow, separator),
    dumped: read(flow, separator, context),
  });
  const apart = attempt(flow, ' ', context);
  const together = attempt(flow, '', context);
  if (apart.flow === undefined && together.flow === undefined)
    throw further(apart.error, together.error);
  if (apart.flow === undefined) {
    const last = more.at(-1)?.text ?? '';
    if (together.newPorts === '' || isHardWrapped || /[,=:()]/.test(last)) return whole('');
    throw new InputError(
      `this flow is broken into ${flow.length} lines, or what stands behind it is no part of it: ` +
        `as one it is about ports ${together.newPorts}; write it on one line, or leave the rest ` +
        'out',
      { file, line: flow[1]?.line ?? only.line },
    );
  }
  if (together.flow === undefined) return whole(' ');
  const texts = [apart.flow, together.flow].map((one) => printFlow(one.flow));
  if (texts[0] === texts[1] && apart.newPorts === together.newPorts) return whole(' ');
  if (isHardWrapped) return whole('');
  throw new InputError(
    `this flow is broken into ${flow.length} lines and can be read in two ways, as ` +
      `"${texts[0]}" or as "${texts[1]}"${portsOf(apart, together)}: write it on one line`,
    place,
  );
}

function joined(flow: FlowLine, separator: string): string {
  return flow.map(({ text }) => text.trimEnd()).join(separator);
}

/**
 * Some of the things that dumps have beside flows ovs-ofctl does not read, and masks that it prints
 * of fields that take none: all others it does.
 */
function asOfctlReads(text: string): string {
  return text
    .replace(maskedSet, readableSet)
    .replace(/^(\s*)table_id=/, '$1table=')
    .replace(/\bn_offload_(packets|bytes)[=:]\d+,?\s*/g, '')
    .trim();
}

/** @throws InputError with the line of the piece that is wrong. */
function read(flow: FlowLine, separator: string, { names, file }: ReadingContext): DumpedFlow {
  const pieces = flow.map(({ text, line }) => ({ text: text.trimEnd(), line }));
  const place = { file, line: pieces[0]?.line ?? 1 };
  try {
    return parseDumpedFlow(joined(flow, separator), names, place);
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
