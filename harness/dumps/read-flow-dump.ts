/** The flows of a bridge, out of what a person has of them. */
import { InputError } from '../base/errors/errors.js';
import { parseDumpedFlow, printFlow, type DumpedFlow } from '../openflow/flows/flow.js';
import type { Names, TableNames } from '../openflow/syntax/form.js';
import { unquote } from '../openflow/syntax/ports.js';
import { actionsReader, type ActionsReader } from '../openflow/actions/known-actions.js';
import { flowLines, type FlowLine } from './pasted/flow-lines.js';
import { undoMarkup } from './pasted/undo-markup.js';
import type { TextSource } from './text-source.js';

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
  const ofBridge = lines.filter(({ pieces }) => !hiddenTable.test(pieces[0] ?? ''));
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

function readWhole(
  { pieces, line }: FlowLine,
  { names, file, isHardWrapped, readActions }: ReadingContext,
): DumpedFlow {
  const place = { file, line };
  const [only = '', ...more] = pieces;
  if (more.length === 0) return parseDumpedFlow(only, names, place, readActions);
  const read = (separator: string) => {
    const text = pieces.map((piece) => piece.trimEnd()).join(separator);
    try {
      return { flow: parseDumpedFlow(text, names, place, readActions) };
    } catch (error) {
      if (error instanceof InputError) return { error };
      throw error;
    }
  };
  const [apart, together] = [read(' '), read('')];
  if (apart.flow === undefined && together.flow === undefined) throw worseOf(apart, together);
  if (apart.flow === undefined || together.flow === undefined)
    return (apart.flow ?? together.flow) as DumpedFlow;
  if (printFlow(apart.flow.flow) === printFlow(together.flow.flow)) return apart.flow;
  if (isHardWrapped) return together.flow;
  throw new InputError(
    `this flow is broken into ${pieces.length} lines and can be read in two ways, as ` +
      `"${printFlow(apart.flow.flow)}" or as "${printFlow(together.flow.flow)}": ` +
      'write it on one line',
    place,
  );
}

/** The complaint that comes further. */
function worseOf(
  one: { readonly error?: InputError },
  other: { readonly error?: InputError },
): InputError {
  const column = ({ error }: { readonly error?: InputError }) => error?.place?.column ?? 0;
  const [further = new InputError('no flow')] = [one, other]
    .toSorted((a, b) => column(b) - column(a))
    .map(({ error }) => error);
  return further;
}

/**
 * A terminal breaks lines at its last column: all pieces but the last of each flow are as long, no
 * line is longer, and there are several.
 */
function wrapsAtOneWidth(lines: readonly FlowLine[]): boolean {
  const broken = lines.flatMap(({ pieces }) => pieces.slice(0, -1).map(({ length }) => length));
  const width = Math.max(...broken, 0);
  return (
    broken.length > 1 &&
    broken.every((length) => length === width) &&
    lines.every(({ pieces }) => pieces.every(({ length }) => length <= width))
  );
}

const namedTable = /(?:^|[\s,])table[=:]\s*("[^"]*"|[A-Za-z_][^,\s]*)/;
const leadingTo = /\b(?:goto_table:|resubmit\([^,)]*,)("[^"]*"|[A-Za-z_][\w.-]*)/g;

/** Tables that have names, by the order in which their flows stand, then those that are led to. */
function numberedTables(lines: readonly FlowLine[]): TableNames {
  const texts = lines.map(({ pieces }) => pieces.join(''));
  const known = new Map<string, number>();
  const taken = new Set(
    texts.flatMap((text) => {
      const number = /(?:^|[\s,])table[=:]\s*(\d+)/.exec(text)?.[1];
      return number === undefined ? [] : [Number(number)];
    }),
  );
  const put = (text: string | undefined) => {
    if (text === undefined || known.has(unquote(text))) return;
    let number = 0;
    while (taken.has(number)) number++;
    taken.add(number);
    known.set(unquote(text), number);
  };
  for (const text of texts) put(namedTable.exec(text)?.[1]);
  for (const text of texts) for (const [, name] of text.matchAll(leadingTo)) put(name);
  return known;
}
