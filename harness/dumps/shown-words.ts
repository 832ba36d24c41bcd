/**
 * What `ovs-ofctl show` says of ports and fragments, as the words by which a switch is given them
 * (ovs-ofctl(8), "mod-port", "set-frags"): nothing here goes by what the plan makes of them.
 */
import type { DumpedProgram } from '../domain/plan/dumped-node.js';
import type { TextSource } from './text-source.js';

type ShownWords = Pick<DumpedProgram, 'portChanges' | 'fragments'>;

/** Words of `mod-port`, by the flags of OpenFlow's ports (lib/ofp-port.c). */
const actions: ReadonlyMap<string, string> = new Map([
  ['NO_STP', 'no-stp'],
  ['NO_RECV', 'no-receive'],
  ['NO_RECV_STP', 'no-receive-stp'],
  ['NO_FLOOD', 'no-flood'],
  ['NO_FWD', 'no-forward'],
  ['NO_PACKET_IN', 'no-packet-in'],
]);

export function shownWords(source: TextSource | undefined): ShownWords {
  const portChanges = blocksOf(source).flatMap(({ number, flags }) =>
    flags.flatMap((flag) => {
      const action = actions.get(flag);
      return action === undefined ? [] : [[number, action] as const];
    }),
  );
  const fragments = /\bfrags=(\S+)/.exec(source?.text ?? '')?.[1];
  return {
    portChanges,
    // Others are refused by name.
    ...(fragments === 'drop' || fragments === 'nx-match' ? { fragments } : {}),
  };
}

export interface ShownPort {
  readonly number: string;
  readonly name: string;
  readonly isShownTwice: boolean;
}

/** The ports whose links it shows down. */
export function shownDown(source: TextSource | undefined): readonly ShownPort[] {
  const blocks = blocksOf(source);
  return blocks
    .filter(({ flags }) => flags.some((flag) => /^(PORT|LINK)_DOWN$/.test(flag)))
    .map(({ number, name }) => ({
      number,
      name,
      isShownTwice: blocks.filter((one) => one.name === name).length > 1,
    }));
}

interface PortBlock {
  readonly number: string;
  readonly name: string;
  readonly flags: readonly string[];
}

/** A port's own line and those behind it, up to the next port's. */
function blocksOf(source: TextSource | undefined): readonly PortBlock[] {
  return (source?.text ?? '').split(/^(?= *(?:\d+|LOCAL)\()/m).flatMap((block) => {
    const [, number, name = ''] = /^ *(\d+|LOCAL)\(([^)]+)\)/.exec(block) ?? [];
    if (number === undefined) return [];
    const flags = [...block.matchAll(/^ +(?:config|state): +(.*)$/gm)].flatMap(([, words = '']) =>
      words.trim().split(/ +/),
    );
    return [{ number, name, flags }];
  });
}
