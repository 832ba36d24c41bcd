/**
 * Flows in logs, and in the commands that add them: what stands before and behind a flow is undone.
 */
import { InputError, type Place } from '../../base/errors/errors.js';

export interface LoggedFlow {
  /** The flow in the words of ovs-ofctl, where it stands in the line. */
  readonly text: string;
  /** The bridge that the command names. */
  readonly bridge?: string;
  readonly note: string;
}

/** Of a shell, or as programs print the list of its words. */
const between = String.raw`["']?[\s,]+["']?`;
const command = new RegExp(
  String.raw`\bovs-ofctl${between}(?:.*?${between})?` +
    String.raw`(add-flow|add-flows|replace-flows|mod-flows|del-flows)${between}` +
    String.raw`([^\s"',]+)["']?,?\s*`,
);

/** A flow that `ovs-ofctl add-flow BRIDGE FLOW` adds; undefined for every other line. */
export function commandFlow(
  line: string,
): { readonly bridge: string; readonly start: number; readonly command: string } | undefined {
  const found = command.exec(line);
  return found === null
    ? undefined
    : { command: found[1] ?? '', bridge: found[2] ?? '', start: found.index + found[0].length };
}

/** A message that changes flows (lib/ofp-flow.c, ofputil_flow_mod_format). */
const message =
  /\bOFPT_FLOW_MOD\b[^:]*(?:\(xid=0x[\da-f]+\))?: (ADD|MOD|MOD_STRICT|DEL|DEL_STRICT)\b/;

/** What programs write before each line of their logs. */
const prefixes: readonly RegExp[] = [
  /^\s*\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\S*/,
  /^\s*[A-Z][a-z]{2} +\d+ \d\d:\d\d:\d\d(?:\.\d+)? \S+ /,
  /^\s*[IWEF]\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ \S+:\d+\]/,
  /^\s*\[\s*\d+\.\d+\]/,
  /^\s*time="?\d{4}-\d\d-\d\d/,
  /^\s*\{"(?:level|ts|time|msg)":/,
];
/** Where a flow begins in the words of a log. */
const flowBegins =
  /(?:^|[\s"'({[=])((?:(?:table|cookie|priority|duration|idle_timeout|hard_timeout|in_port|send_flow_rem|dl_\w+|nw_\w+|ct_\w+|reg\d+|metadata|tun_\w+)[=:]|(?:ip|ipv6|arp|rarp|tcp6?|udp6?|icmp6?|sctp6?|mpls)[,\s])\S.*?\bactions?\s*=.*)$/;

/**
 * The flow of a line of a log; undefined where the line has none.
 * @throws InputError with its line for a message that changes or removes flows: which are left
 *   only a dump says.
 */
export function loggedFlow(line: string, place: Place): LoggedFlow | undefined {
  const sent = message.exec(line);
  if (sent !== null) {
    const [all, kind = ''] = sent;
    if (kind !== 'ADD') throw changing(`OFPT_FLOW_MOD ${kind}`, place);
    return {
      text: padded(sent.index + all.length, ofMessage(line.slice(sent.index + all.length))),
      note: 'flows taken out of messages of a log (OFPT_FLOW_MOD)',
    };
  }
  const given = commandFlow(line);
  if (given?.command === 'add-flow')
    return {
      text: padded(given.start, firstWord(line.slice(given.start))),
      bridge: given.bridge,
      note: 'flows taken out of commands (add-flow)',
    };
  if (given !== undefined) throw changing(`ovs-ofctl ${given.command}`, place);
  if (!prefixes.some((prefix) => prefix.test(line))) return undefined;
  const found = flowBegins.exec(line)?.[1];
  if (found === undefined) return undefined;
  const quote = line.charAt(line.length - found.length - 1);
  return {
    text: padded(line.length - found.length, upToQuote(found, quote)),
    note: 'lines of a log whose beginning is left out: it stands before a flow',
  };
}

function changing(what: string, place: Place): InputError {
  return new InputError(
    `${what} changes or removes flows that are there: which are left only a dump says, ` +
      '"ovs-ofctl dump-flows"',
    place,
  );
}

/** Columns stay what they are. */
function padded(before: number, text: string): string {
  return ' '.repeat(before) + text;
}

/** A message's own words as those of a flow; its port, group and buffer are not parts of one. */
function ofMessage(text: string): string {
  const at = text.search(/\bactions=/);
  const before = at < 0 ? text : text.slice(0, at);
  return (
    before
      .replace(/(?<=^|\s)(?:buf|out_port|out_group):\S+/g, (part) => ' '.repeat(part.length))
      .replace(/(?<=^|\s)idle:(?=\d)/g, 'idle_timeout=')
      .replace(/(?<=^|\s)hard:(?=\d)/g, 'hard_timeout=')
      .replace(/(?<=^|\s)pri:(?=\d)/g, 'priority=') + (at < 0 ? '' : text.slice(at))
  );
}

/** The first word of a shell: to its quotation mark, or to the end. */
function firstWord(text: string): string {
  const quote = /^["']/.exec(text)?.[0];
  return quote === undefined
    ? text.replace(/["'\]]+\s*(?:\S+)?$/, '')
    : ` ${upToQuote(text.slice(1), quote)}`;
}

function upToQuote(text: string, quote: string): string {
  const end = quote === '"' || quote === "'" ? text.indexOf(quote) : -1;
  // Names of ports stand in quotation marks too.
  return end < 0 || !/\bactions?\s*=/.test(text.slice(0, end)) ? text : text.slice(0, end);
}
