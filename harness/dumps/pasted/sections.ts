/**
 * A paste with the output of several commands: each dump in it is of one bridge, as the command
 * line above it says, or a heading or the text itself.
 */
import { InputError } from '../../base/errors/errors.js';
import type { TextSource } from '../text-source.js';
import { commandFlow } from './logged-flow.js';

/** What is dumped, by the command that prints it. */
export type DumpKind = 'flows' | 'groups' | 'meters' | 'ports' | 'tunnelOptions';

const commands: Readonly<Record<string, DumpKind>> = {
  'dump-flows': 'flows',
  'bridge/dump-flows': 'flows',
  'dump-groups': 'groups',
  'dump-meters': 'meters',
  show: 'ports',
  'dump-ports-desc': 'ports',
  'dump-tlv-map': 'tunnelOptions',
};
const program = /\bovs-(ofctl|appctl|vsctl|dpctl)\b|\bovsdb-client\b|\bovn-\w+ctl\b/;
const dumping = new RegExp(
  String.raw`\bovs-(?:ofctl|appctl)\b.*?\s(${Object.keys(commands).join('|')})\s+` +
    String.raw`["']?([^\s"'|;>]+)`,
);
/** As mininet's dpctl writes above each switch. */
const heading = /^\s*\*\*\* (\S+) -{5,}\s*$/;
/** The first line of a dump: a reply, of which more parts may follow. */
const reply = /\b(?:NXST|OFPST)_(FLOW|GROUP_DESC|METER_CONFIG) reply\b/;
const shown = /\bOFPT_FEATURES_REPLY\b/;
const local = /^\s*LOCAL\(([^)]+)\): addr:/;

/** Lines of a paste that belong together. */
interface Section {
  readonly kind: DumpKind | 'other' | undefined;
  bridge: string | undefined;
  /** Indices of its lines. */
  readonly lines: number[];
  /** Where its reply begins, from 1. */
  replyLine?: number;
}

function sectionsOf(lines: readonly string[], kind: DumpKind): readonly Section[] {
  const sections: Section[] = [{ kind: undefined, bridge: undefined, lines: [] }];
  let more = false;
  const begin = (section: Omit<Section, 'lines'>) => sections.push({ ...section, lines: [] });
  for (const [index, line] of lines.entries()) {
    const last = sections.at(-1)!;
    const titled = heading.exec(line)?.[1];
    const [, command = '', bridge] = dumping.exec(line) ?? [];
    if (titled !== undefined) begin({ kind, bridge: titled });
    else if (commandFlow(line) === undefined && program.test(line))
      begin({ kind: commands[command] ?? 'other', bridge: nameIn(bridge) });
    else if (reply.test(line) || shown.test(line)) {
      if (last.replyLine !== undefined && !more) begin({ kind: last.kind, bridge: undefined });
      sections.at(-1)!.replyLine ??= index + 1;
      more = /\bflags=\[more\]/.test(line);
    }
    const current = sections.at(-1)!;
    current.lines.push(index);
    if (kind === 'ports') current.bridge = local.exec(line)?.[1] ?? current.bridge;
  }
  return sections;
}

/** `unix:/var/run/openvswitch/br0.mgmt` is br0. */
function nameIn(bridge: string | undefined): string | undefined {
  return bridge?.replace(/^unix:.*\/([^/]+)\.mgmt$/, '$1');
}

function holdsAnything({ lines }: Section, all: readonly string[]): boolean {
  return lines.some((index) => {
    const line = all[index] ?? '';
    return /[=:]/.test(line) && (!program.test(line) || commandFlow(line) !== undefined);
  });
}

/** Those of one kind that hold something; a section whose command nobody sees may be of any. */
function dumpsIn(text: string, kind: DumpKind) {
  const lines = text.split('\n');
  const all = sectionsOf(lines, kind);
  const own = all.filter(
    (section) => (section.kind ?? kind) === kind && holdsAnything(section, lines),
  );
  return { lines, all, own };
}

/** The bridges whose dumps of this kind a paste has, in order, as far as it names them. */
export function pastedBridges({ text }: TextSource, kind: DumpKind): readonly string[] {
  const { lines, own } = dumpsIn(text, kind);
  const written = kind === 'flows' ? lines.flatMap((line) => commandFlow(line)?.bridge ?? []) : [];
  return [...new Set([...own.flatMap(({ bridge }) => bridge ?? []), ...written])];
}

/**
 * What a paste has of one bridge, every line in its place; those of others are left empty.
 * @param bridge undefined where nobody has said which.
 * @throws InputError where there are dumps of several and it is not known which is meant.
 */
export function ofOneBridge(
  source: TextSource,
  kind: DumpKind,
  bridge: string | undefined,
): { readonly source: TextSource; readonly notes: readonly string[] } {
  const { lines, all, own } = dumpsIn(source.text, kind);
  const names = pastedBridges(source, kind);
  const wanted = names.length > 1 ? names.find((name) => name === bridge) : names[0];
  const said = `say which by --bridge, or give each in a file of its own`;
  const at = (line: number | undefined) => ({ file: source.file, ...(line && { line }) });
  if (names.length > 1 && wanted === undefined)
    throw new InputError(
      `this is of several bridges, ${names.join(' and ')}` +
        (bridge === undefined ? `: ${said}` : `, and not of ${bridge}: ${said}`),
      at(undefined),
    );
  if (kind !== 'ports' && names.length === 1 && bridge !== undefined && names[0] !== bridge)
    throw new InputError(
      `this is what a command prints of ${names[0]}; expected that of ${bridge}`,
      at(undefined),
    );
  const nameless = own.filter((section) => section.bridge === undefined);
  const [first, second] = nameless;
  if (nameless.length > (names.length > 0 ? 0 : 1) && second?.replyLine !== undefined)
    throw new InputError(
      `a second dump begins here, after that of line ${first?.replyLine}, and nothing says of ` +
        'which bridges they are: give each in a file of its own',
      at(second.replyLine),
    );
  const loose = (first?.lines ?? []).find((index) => {
    const line = lines[index] ?? '';
    return /[=:]/.test(line) && commandFlow(line) === undefined && !/^\s*#/.test(line);
  });
  if (names.length > 1 && loose !== undefined)
    throw new InputError(`nothing says whether this is of ${names.join(' or ')}`, at(loose + 1));
  const kept = new Set(
    own
      .filter((section) => section.bridge === undefined || section.bridge === wanted)
      .flatMap((section) => section.lines),
  );
  const isOther = (line: string) => {
    const written = commandFlow(line)?.bridge;
    return written !== undefined && wanted !== undefined && written !== wanted;
  };
  const isKept = (line: string, index: number) => kept.has(index) && !isOther(line);
  const left = lines.filter((line, index) => line.trim() !== '' && !isKept(line, index)).length;
  if (left === 0 || (all.length === 1 && !lines.some(isOther))) return { source, notes: [] };
  return {
    source: {
      file: source.file,
      text: lines.map((line, index) => (isKept(line, index) ? line : '')).join('\n'),
    },
    notes: [
      `${source.file}: ${left} lines left out: they are of other commands` +
        (wanted === undefined ? '' : `, or of other bridges than ${wanted}`),
    ],
  };
}
