/** The lines of a dump of flows, each flow whole, whatever was put before it or broke it. */
import type { FlowOrder } from '../repeated-flows.js';
import { loggedFlow } from './logged-flow.js';
import { InputError } from '../../base/errors/errors.js';
import type { TextSource } from '../text-source.js';

/** One flow. Where it was broken into lines: their pieces, in order. */
export type FlowLine = readonly FlowPiece[];

export interface FlowPiece {
  readonly text: string;
  /** From 1. */
  readonly line: number;
}

export interface FlowLines {
  readonly lines: readonly FlowLine[];
  /** `NXST_FLOW reply (xid=0x4):` and the like, in order. */
  readonly heads: readonly string[];
  /** Whether they stand there as a switch shows them. */
  readonly order: FlowOrder;
  readonly notes: readonly string[];
}

const head = /\b(?:NXST|OFPST)_FLOW reply\b.*$/;
/**
 * How each flow of a dump begins, as ovs-ofctl and as `bridge/dump-flows` prints it; before it
 * stands no other part of it.
 */
const starts: readonly RegExp[] = [
  /^(?:[^=]*[\s|])?(?=cookie=0x[\da-f]+, duration=)/,
  /^(?:[^=]*[\s|])?(?=(?:table_id=\d+, )?duration=[\d.]+s, n_packets=)/,
];
const command = /(?:^|[\s#$>])(?:sudo\s+)?ovs-(?:ofctl|appctl|vsctl|dpctl)\s/;
/** A shell that waits, or was given something else. */
const prompt =
  /^\s*(?:\[[^\]=]*@[^\]=]*\]|[\w.-]+@[\w.-]+(?::[^\s=]*)?)\s*[#$%>](?:\s|$)|^\s*[$%]\s*$/;
const cut = new RegExp(
  [
    String.raw`^\s*(?:\[\.{3,}\]|\[…\]|<snip>|\(\.{3,}\))\s*$`,
    String.raw`(?:\.{3,}|…)\s*$`,
    String.raw`(?:^|[\s,=(])(?:\.{3,}|…)(?=[\s,)])`,
  ].join('|'),
);
/** What dpctl prints of a datapath: megaflows, not flows of a bridge. */
const megaflow = /\b(?:recirc_id|in_port|eth|eth_type)\(.*\bpackets:\d+, bytes:\d+/;

/**
 * @throws InputError with its line where a part is missing (`...`), and for megaflows of a datapath
 *   in the place of flows.
 */
export function flowLines({ text, file }: TextSource): FlowLines {
  const all = text.split('\n');
  const start = starts.find((one) => all.some((line) => one.test(line)));
  const found: FlowPiece[][] = [];
  const heads: string[] = [];
  const counts = new Map<string, number>();
  const note = (what: string) => counts.set(what, (counts.get(what) ?? 0) + 1);
  let isContinued = false;
  for (const [index, raw] of all.entries()) {
    if (raw.trim() === '' || /^\s*#/.test(raw)) {
      isContinued = false;
      continue;
    }
    const place = { file, line: index + 1 };
    if (cut.test(raw))
      throw new InputError(`a part of the dump is missing: "${raw.trim().slice(-40)}"`, place);
    if (megaflow.test(raw))
      throw new InputError(
        'this is a megaflow of a datapath, as "dpctl/dump-flows" prints them: Open vSwitch makes ' +
          'them of the flows of a bridge, which "ovs-ofctl dump-flows BRIDGE" prints',
        place,
      );
    if (head.test(raw)) {
      heads.push(head.exec(raw)?.[0] ?? '');
      isContinued = false;
      continue;
    }
    const logged = isContinued ? undefined : loggedFlow(raw, place);
    if (logged !== undefined) {
      note(logged.note);
      found.push([{ text: logged.text, line: index + 1 }]);
      continue;
    }
    const before = isContinued ? undefined : start?.exec(raw)?.[0];
    const isCommand = prompt.test(raw) || (start !== undefined && command.test(raw));
    if (before === undefined && isCommand) {
      note('command lines left out');
      continue;
    }
    const continues = raw.endsWith('\\');
    const line = continues ? raw.slice(0, -1) : raw;
    if (continues) note('lines joined that end with a backslash');
    const last = found.at(-1);
    const piece = { text: line, line: index + 1 };
    if (isContinued && last !== undefined) last.push({ ...piece, text: line.trimStart() });
    else if (start === undefined || (before === undefined && beginsAnother(last, line)))
      found.push([piece]);
    else if (before !== undefined) {
      if (before.trim() !== '') note('lines whose beginning is left out: it stands before a flow');
      found.push([{ ...piece, text: ' '.repeat(before.length) + line.slice(before.length) }]);
    } else if (last === undefined) note('lines before the first flow left out');
    else {
      note('broken lines joined');
      last.push(piece);
    }
    isContinued = continues;
  }
  return {
    lines: found,
    heads,
    order: start === undefined && heads.length === 0 ? 'added in turn' : 'a dump',
    notes: [...counts].map(([what, count]) => `${file}: ${count} ${what}`),
  };
}

/** A flow has its actions once; one that somebody wrote may stand beside those of a dump. */
function beginsAnother(last: FlowLine | undefined, line: string): boolean {
  const hasActions = /(^|[\s,])actions?\s*=/;
  const before = last?.map(({ text }) => text).join(' ');
  return hasActions.test(line) && (before === undefined || hasActions.test(before));
}
