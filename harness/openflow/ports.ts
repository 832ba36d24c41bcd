/** Port numbers with a name of their own (OpenFlow 1.0 numbering, as Open vSwitch uses it for every version). */
import { complain, parseNumber, shorten, type Span } from './text.js';

export const reservedPorts = { IN_PORT: 0xfff8, NORMAL: 0xfffa, FLOOD: 0xfffb, ALL: 0xfffc, CONTROLLER: 0xfffd, LOCAL: 0xfffe, ANY: 0xffff } as const;

/** Numbers by name, of one bridge. */
export type PortNames = ReadonlyMap<string, number>;

/** The last number that a port of a bridge can have. */
const lastPort = 0xfeffn;

/** A port by number, by reserved name, or by the name it has on the bridge (with or without double quotes). */
export function parsePort(at: Span, names: PortNames): number {
  const name = at.text.startsWith('"') && at.text.endsWith('"') ? at.text.slice(1, -1) : at.text;
  const reserved = name.toUpperCase() === 'NONE' ? 'ANY' : name.toUpperCase();
  const named = names.get(name) ?? (Object.hasOwn(reservedPorts, reserved) ? reservedPorts[reserved as keyof typeof reservedPorts] : undefined);
  if (named !== undefined) return named;
  if (/^\d/.test(at.text)) return Number(parseNumber(at, 'port', lastPort));
  throw complain(at, `unknown port "${shorten(name)}"; ports of this bridge: ${[...names.keys()].join(', ') || 'none'}`);
}

/** As ovs-ofctl prints a port without names. */
export function printPort(port: number): string {
  return Object.entries(reservedPorts).find(([, number]) => number === port)?.[0] ?? String(port);
}
