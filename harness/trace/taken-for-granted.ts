/**
 * What an answer hangs on and dumps do not say: where a packet meets it, it is said. Ports that
 * packets are sent to are there, where nobody has listed those of a bridge.
 */
import { withPorts } from '../dumps/find-port.js';
import type { DumpedSwitch } from '../dumps/dumped-switch.js';
import type { FloodNote } from '../dumps/listed-ports.js';
import { reservedPorts } from '../openflow/syntax/ports.js';
import type { TracedReason, TraceNode } from './trace-tree.js';

interface Answer {
  readonly translations: readonly {
    readonly bridge: string;
    readonly nodes: readonly TraceNode[];
  }[];
}

interface MetFlood {
  readonly bridge: string;
  readonly by: FloodNote['by'];
}

function floodsIn(nodes: readonly TraceNode[], bridge: string): readonly MetFlood[] {
  return nodes.flatMap((node): readonly MetFlood[] => {
    if (node.kind === 'table') return floodsIn(node.nodes, node.bridge);
    if (node.kind !== 'action' || node.action?.kind !== 'output') return [];
    switch (node.action.port) {
      case reservedPorts.NORMAL:
        return [
          { bridge, by: 'NORMAL' },
          { bridge, by: 'floods' },
        ];
      case reservedPorts.FLOOD:
      case reservedPorts.ALL:
        return [{ bridge, by: 'floods' }];
      default:
        return [];
    }
  });
}

/** The notes that are about what these packets have met. */
export function notesMet(
  { floodNotes }: Pick<DumpedSwitch, 'floodNotes'>,
  answers: readonly Answer[],
): readonly string[] {
  const met = answers.flatMap(({ translations }) =>
    translations.flatMap(({ bridge, nodes }) => floodsIn(nodes, bridge)),
  );
  return floodNotes
    .filter(({ bridge, by }) => met.some((one) => one.bridge === bridge && one.by === by))
    .map(({ text }) => text);
}

/**
 * The switch with the ports that `ask` finds packets to be sent to. @param ask what a switch makes
 * of the packets.
 */
export function withMetPorts(
  target: DumpedSwitch,
  ask: (target: DumpedSwitch) => readonly { readonly reasons: readonly TracedReason[] }[],
  say: (line: string) => void,
): DumpedSwitch {
  if (target.unlisted.size === 0) return target;
  const missing = ask(target)
    .flatMap(({ reasons }) => reasons)
    .flatMap(({ bridge, text }) => {
      const port = /^there is no port (\d+)$/.exec(text)?.[1];
      return port === undefined || !target.unlisted.has(bridge)
        ? []
        : [{ bridge, ofport: Number(port) }];
    });
  if (missing.length === 0) return target;
  const [{ bridge, ofport } = { bridge: '', ofport: 0 }] = missing;
  say(
    `note: nothing lists the ports of ${bridge}: a packet is sent to port ${ofport}, so it is ` +
      'taken to be there',
  );
  return withMetPorts(withPorts(target, missing.slice(0, 1)), ask, say);
}
