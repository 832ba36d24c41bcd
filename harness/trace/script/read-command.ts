/** One line of a script. */
import { InputError, unknownName } from '../../base/errors/errors.js';
import { reservedPorts } from '../../openflow/syntax/ports.js';
import type { BridgePlan } from '../../domain/plan/bridge-plan.js';
import { type Span, complain, part } from '../../openflow/syntax/text.js';
import { noNames, type Names } from '../../openflow/syntax/form.js';
import type { DumpedSwitch } from '../../dumps/dumped-switch.js';
import type { Command } from './script.js';
import { findPort } from '../../dumps/find-port.js';
import { parseHex, readFlow } from '../packet-stimulus.js';
import { parseFlowRequest } from '../../openflow/flows/flow-request.js';
import { printFlow, parseFlow } from '../../openflow/flows/flow.js';
import { parseGroupChange } from '../../openflow/groups/parse-group-change.js';

export function firstWord(at: Span): readonly [Span, Span] {
  const end = /\s/.exec(at.text)?.index ?? at.text.length;
  return [part(at, 0, end), part(at, end)];
}

/** What fails in it fails at this place of the script. */
export function withPlace<T>(at: Span, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const column = at.column + (error.place?.column ?? 1) - 1;
    throw new InputError(error.message.replace(/^(FLOW|inject)(:\d+)*: /, ''), {
      file: at.file,
      line: at.line,
      column,
    });
  }
}

function nameOf(bridge: BridgePlan, ofport: number): string {
  return ofport === reservedPorts.LOCAL
    ? bridge.name
    : (bridge.ports.find((port) => port.ofport === ofport)?.name ?? String(ofport));
}

/** In front of it stands white space, so that complaints name the column of the script. */
function parserArguments(
  { text, file, line, column }: Span,
  names: Names,
): readonly [string, Names, { readonly file: string; readonly line: number }] {
  return [`${' '.repeat(column - 1)}${text}`, names, { file, line }];
}

function strictness(at: Span): readonly ['' | '_strict', Span] {
  const [word, rest] = firstWord(at);
  return word.text === '--strict' ? ['_strict', rest] : ['', at];
}

function zoneOf(at: Span): readonly [{ readonly zone?: number }, Span] {
  const [word, rest] = firstWord(at);
  if (!word.text.startsWith('zone=')) return [{}, at];
  if (!/^zone=\d{1,5}$/.test(word.text) || Number(word.text.slice(5)) > 0xffff)
    throw complain(word, `expected zone=N from 0 to 65535, got "${word.text}"`);
  return [{ zone: Number(word.text.slice(5)) }, rest];
}

const unitsMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** A day. */
const longestMs = 24 * 3_600_000;

function milliseconds(at: Span): number {
  const [, number, unit = ''] = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h)$/.exec(at.text) ?? [];
  const ms = Number(number) * (unitsMs[unit] ?? NaN);
  if (!Number.isInteger(ms) || ms < 1 || ms > longestMs)
    throw complain(
      at,
      'expected a time of whole milliseconds from 1ms to 24h, such as 500ms, 30s, 5m, got ' +
        `"${at.text}"`,
    );
  return ms;
}

function bridgeOf(at: Span, { plan: { bridges } }: DumpedSwitch): readonly [BridgePlan, Span] {
  const [word, rest] = firstWord(at);
  const named = bridges.find(({ name }) => name === word.text);
  if (named !== undefined) return [named, rest];
  const [only, ...others] = bridges;
  if (only === undefined || others.length > 0)
    throw complain(
      word,
      `of which bridge? Say so before the rest: ${bridges.map(({ name }) => name).join(', ')}`,
    );
  return [only, at];
}

function onlyBridge(at: Span, target: DumpedSwitch): BridgePlan {
  const [bridge, rest] = bridgeOf(at, target);
  if (rest.text !== '')
    throw complain(
      rest,
      `expected the name of a bridge or nothing, got "${rest.text}": bridges are ` +
        target.plan.bridges.map(({ name }) => name).join(', '),
    );
  return bridge;
}

function call(made: Extract<Command, { readonly kind: 'call' }>['call']): Command {
  return { kind: 'call', call: made };
}

/**
 * A command about one bridge, named before the rest where there are several. @param read gives the
 * line of a bundle.
 */
function bridgeCommand(read: (at: Span, names: Names) => string): Read {
  return (at, target) => {
    const [bridge, rest] = bridgeOf(at, target);
    return call({
      kind: 'change',
      node: target.plan.node,
      bridge: bridge.name,
      lines: [read(rest, target.names.get(bridge.name) ?? noNames)],
    });
  };
}

function link(at: Span, target: DumpedSwitch, state: 'up' | 'down'): Command {
  const { bridge, ofport } = withPlace(at, () => findPort(target, at.text));
  const port = nameOf(bridge, ofport);
  if (
    bridge.ports.some(({ name, kind }) => name === port && (kind === 'patch' || kind === 'tunnel'))
  )
    throw complain(
      at,
      `${port} has no link that goes up and down: it is a ` +
        `${bridge.ports.find(({ name }) => name === port)?.kind} port`,
    );
  return call({ kind: 'link', node: target.plan.node, port, state });
}

/** An Ethernet header. */
const shortestFrame = 14;

/** `PORT FLOW` or `PORT HEX`. */
export function inject(at: Span, target: DumpedSwitch): Command {
  const [port, packet] = firstWord(at);
  if (port.text === '')
    throw complain(
      at,
      'expected a port and a packet, as in "inject p1 udp,nw_src=10.0.0.1,nw_ttl=64"',
    );
  const { bridge, ofport } = withPlace(port, () => findPort(target, port.text));
  if (packet.text === '')
    throw complain(
      packet,
      `expected a packet behind the port: FLOW, or its bytes as hexadecimal digits`,
    );
  if (/^[0-9a-f\s]+$/i.test(packet.text))
    return {
      kind: 'inject',
      stimulus: {
        bridge: bridge.name,
        ofport,
        frame: withPlace(packet, () => parseHex(packet.text, 'inject', shortestFrame)),
        metadata: [],
      },
    };
  if (/(^|[\s,])in_port\s*=/.test(packet.text))
    throw complain(packet, `the packet comes in at ${port.text}: leave in_port out`);
  const stimulus = withPlace(packet, () =>
    readFlow(packet.text, target, bridge.name, { payload: undefined }),
  );
  return { kind: 'inject', stimulus: { ...stimulus, ofport } };
}

type Read = (at: Span, target: DumpedSwitch) => Command;

const commands: Readonly<Record<string, Read>> = {
  inject,
  advance: (at, { plan: { node } }) => call({ kind: 'advance', node, ms: milliseconds(at) }),
  'add-flow': bridgeCommand(
    (at, names) => `flow add ${printFlow(parseFlow(...parserArguments(at, names)))}`,
  ),
  'mod-flows': bridgeCommand((at, names) => {
    const [strict, flow] = strictness(at);
    parseFlow(...parserArguments(flow, names));
    return `flow modify${strict} ${flow.text}`;
  }),
  'del-flows': bridgeCommand((at, names) => {
    const [strict, flow] = strictness(at);
    parseFlowRequest(...parserArguments(flow, names));
    return `flow delete${strict} ${flow.text}`;
  }),
  ...Object.fromEntries(
    (
      [
        ['add-group', 'add'],
        ['mod-group', 'modify'],
        ['del-groups', 'delete'],
        ['insert-buckets', 'insert_bucket'],
        ['remove-buckets', 'remove_bucket'],
      ] as const
    ).map(([name, kind]) => [
      name,
      bridgeCommand((at, names) => {
        parseGroupChange(`${kind} ${at.text}`, names, { file: at.file, line: at.line });
        return `group ${kind} ${at.text}`;
      }),
    ]),
  ),
  'port-down': (at, target) => link(at, target, 'down'),
  'port-up': (at, target) => link(at, target, 'up'),
  'flush-conntrack': (at, { plan: { node } }) => {
    const [zone, rest] = zoneOf(at);
    return call({
      kind: 'flush',
      node,
      ...zone,
      ...(rest.text === '' ? {} : { tuple: rest.text }),
    });
  },
  'dump-flows': (at, target) => ({
    kind: 'dump',
    what: 'flows',
    bridge: onlyBridge(at, target).name,
  }),
  'dump-fdb': (at, target) => ({ kind: 'dump', what: 'macs', bridge: onlyBridge(at, target).name }),
  'dump-conntrack': (at) => {
    const [zone, rest] = zoneOf(at);
    if (rest.text !== '') throw complain(rest, `expected zone=N or nothing, got "${rest.text}"`);
    return { kind: 'dump', what: 'connections', ...zone };
  },
};

export const commandNames: readonly string[] = Object.keys(commands);

/** @throws InputError for a command that is none of `commandNames`; `known` are those. */
export function readCommand(
  at: Span,
  target: DumpedSwitch,
  known: readonly string[] = commandNames,
): Command {
  const [word, rest] = firstWord(at);
  const read = commands[word.text];
  if (read === undefined) throw complain(word, unknownName('command', word.text, known).message);
  return read(rest, target);
}
