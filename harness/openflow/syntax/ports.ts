/**
 * Port numbers with a name of their own (OpenFlow 1.0 numbering, as Open vSwitch uses it for every
 * version).
 */
import { complain, parseDecimal, shorten, type Span } from './text.js';

export const reservedPorts = {
  UNSET: 0xfff7,
  IN_PORT: 0xfff8,
  TABLE: 0xfff9,
  NORMAL: 0xfffa,
  FLOOD: 0xfffb,
  ALL: 0xfffc,
  CONTROLLER: 0xfffd,
  LOCAL: 0xfffe,
  ANY: 0xffff,
} as const;

const reservedNames: ReadonlyMap<string, number> = new Map([
  ...Object.entries(reservedPorts),
  ['NONE', reservedPorts.ANY],
]);

/** Numbers by name, of one bridge. */
export type PortNames = ReadonlyMap<string, number>;

/** The last number that a port of a bridge can have. */
const lastPort = 0xfeff;

/**
 * A port by number, by reserved name, or by the name it has on the bridge. A port that is called
 * like one of the others needs double quotes, as in ovs-ofctl (lib/ofp-port.c,
 * ofputil_port_from_string).
 */
export function parsePort(at: Span, names: PortNames): number {
  if (/^\d+$/.test(at.text)) return parsePortNumber(at);
  const name = unquote(at.text);
  const named = reservedNames.get(at.text.toUpperCase()) ?? names.get(name);
  if (named !== undefined) return named;
  if (/^\d/.test(at.text)) return parsePortNumber(at);
  throw complain(
    at,
    `unknown port "${shorten(name)}"; ports of this bridge: ` +
      ([...names.keys()].join(', ') || 'none'),
  );
}

/** OpenFlow 1.1 and later number the reserved ports from 0xffffff00 up. */
function parsePortNumber(at: Span): number {
  const given = /^\d{1,10}$/.test(at.text) ? Number(at.text) : NaN;
  const number = given >= 0xffffff00 ? given - 0xffff0000 : given;
  return Object.values<number>(reservedPorts).includes(number)
    ? number
    : parseDecimal(at, 'port', lastPort);
}

/** As ovs-ofctl prints a port: by reserved name, by one of `names`, or by number. */
export function printPort(port: number, names: PortNames = noPorts): string {
  return (
    Object.entries(reservedPorts).find(([, number]) => number === port)?.[0] ??
    printName(port, names)
  );
}

const noPorts: PortNames = new Map();

/**
 * A port or table by its name where it has one. Names that are not letters and digits stand in
 * double quotes.
 */
export function printName(number: number, names: ReadonlyMap<string, number>): string {
  for (const [name, named] of names)
    if (named === number) return /^[A-Za-z][A-Za-z0-9]*$/.test(name) ? name : JSON.stringify(name);
  return String(number);
}

/** A name as it stands in a text: bare, or in double quotes as JSON writes strings. */
export function unquote(text: string): string {
  if (!/^".*"$/s.test(text)) return text;
  try {
    return String(JSON.parse(text));
  } catch {
    return text.slice(1, -1);
  }
}
