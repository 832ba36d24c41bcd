/** Lines of a script that stand for several commands, and all others. */
import { complain, type Span } from '../../openflow/syntax/text.js';
import type { DumpedSwitch } from '../../dumps/dumped-switch.js';
import { findPort } from '../../dumps/find-port.js';
import { commandNames, firstWord, inject, readCommand, withPlace } from './read-command.js';
import type { Command } from './script.js';
import { tcpSegments } from './tcp-connection.js';

/** One of several commands that a line stands for; `name` says which. */
export interface NamedCommand {
  readonly name: string;
  readonly command: Command;
}

/** `PORT PORT FLOW`: the opener's, the answerer's, and a packet of the opener. */
function injectTcp(at: Span, target: DumpedSwitch): readonly NamedCommand[] {
  const [from, rest] = firstWord(at);
  const [to, packet] = firstWord(rest);
  if (packet.text === '')
    throw complain(
      at,
      "expected the ports of both ends and the opener's packet, as in " +
        '"inject-tcp p1 p2 nw_src=10.0.0.1,nw_dst=10.0.0.2,nw_ttl=64,tp_src=4000,tp_dst=80"',
    );
  if (/(^|[\s,])tcp_flags\s*=/.test(packet.text))
    throw complain(packet, 'the segments of a connection have flags of their own: leave them out');
  const isNamed = /(^|[\s,])(tcp6?|udp6?|sctp6?|icmp6?|arp|nw_proto)\b/.test(packet.text);
  const opened = inject(
    { ...packet, text: `${from.text} ${isNamed ? '' : 'tcp,'}${packet.text}`, column: from.column },
    target,
  );
  const { bridge, ofport } = withPlace(to, () => findPort(target, to.text));
  const segments = opened.kind === 'inject' ? tcpSegments(opened.stimulus.frame) : undefined;
  if (opened.kind !== 'inject' || segments === undefined)
    throw complain(packet, 'expected a packet of TCP');
  const connection = { opener: opened.stimulus, answerer: { bridge: bridge.name, ofport } };
  return segments.map((segment) => ({
    name: segment.name,
    command: { kind: 'segment', connection, segment },
  }));
}

/** One command, but for lines that stand for several. */
export function readCommands(at: Span, target: DumpedSwitch): readonly NamedCommand[] {
  const [word, rest] = firstWord(at);
  if (word.text === 'inject-tcp') return injectTcp(rest, target);
  return [{ name: '', command: readCommand(at, target, [...commandNames, 'inject-tcp']) }];
}
