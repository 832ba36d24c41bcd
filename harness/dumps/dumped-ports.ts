/** What `ovs-ofctl show` and `dump-ports-desc` print of a bridge's ports (ovs-ofctl(8)). */
import { InputError } from '../base/errors/errors.js';
import type { PortSettings } from '../domain/plan/port-plan.js';
import { reservedPorts } from '../openflow/syntax/ports.js';
import type { TextSource } from './text-source.js';

/** OpenFlow has room for 15 characters of a name (OFP_MAX_PORT_NAME_LEN with its end). */
export const shownNameMax = 15;

export interface DumpedPorts {
  /** OpenFlow numbers by name, LOCAL among them. */
  readonly ports: ReadonlyMap<string, number>;
  /** What is shown of those that go by their numbers, because others are shown alike. */
  readonly cutNames: ReadonlyMap<string, string>;
  /** LOCAL's name, which is the bridge's, and its address. */
  readonly local?: string;
  readonly mac?: string;
  /** Settings of ports by name, LOCAL among them. */
  readonly settings: ReadonlyMap<string, ShownSettings>;
  /** `frags=` of the configuration, where it is not normal. */
  readonly fragments?: 'drop' | 'nx-match';
  /** Answers of OpenFlow 1.1 and later have no word for NO_FLOOD. */
  readonly saysNoFlood: boolean;
  /** What is set and has no words in plans: `NO_PACKET_IN of p1`. */
  readonly unknown: readonly string[];
}

export type ShownSettings = Pick<PortSettings, 'flood' | 'forward' | 'receive' | 'link'>;

/** The flags that `show` prints of a port's config and state (lib/ofp-port.c). */
const flags: Readonly<Record<string, ShownSettings | 'means nothing'>> = {
  PORT_DOWN: { link: 'down' },
  LINK_DOWN: { link: 'down' },
  NO_FLOOD: { flood: 'never' },
  NO_FWD: { forward: 'never' },
  NO_RECV: { receive: 'never' },
  // without a spanning tree, which --ovsdb has
  NO_STP: 'means nothing',
  STP_FORWARD: 'means nothing',
  LIVE: 'means nothing',
  '0': 'means nothing',
};

function namesShownTwice(text: string): ReadonlySet<string> {
  const names = [...text.matchAll(/^ *\d+\(([^)]+)\): addr:/gm)].map(([, name = '']) => name);
  return new Set(names.filter((name, index) => names.indexOf(name) < index));
}

/**
 * Lines such as ` 1(p1): addr:aa:55:aa:55:00:01`; the others are about other things. @throws
 * InputError for two ports of one name or number, and when there is no port.
 */
export function readShow({ text, file }: TextSource): DumpedPorts {
  const ports = new Map<string, number>();
  const settings = new Map<string, ShownSettings>();
  const unknown: string[] = [];
  let mac: string | undefined;
  let current: string | undefined;
  let fragments: string | undefined;
  const cutNames = new Map<string, string>();
  const sameNames = namesShownTwice(text);
  for (const [index, line] of text.split('\n').entries()) {
    fragments = /\bfrags=(\S+)/.exec(line)?.[1] ?? fragments;
    const shown = /^ +(?:config|state): +(.*\S)/.exec(line)?.[1];
    if (shown !== undefined && current !== undefined)
      for (const flag of shown.split(/ +/)) {
        const meaning = flags[flag];
        if (meaning === undefined) unknown.push(`${flag} of ${current}`);
        else if (meaning !== 'means nothing')
          settings.set(current, { ...settings.get(current), ...meaning });
      }
    const [, number, written = '', address = ''] =
      /^ *(\d+|LOCAL)\(([^)]+)\): addr:([0-9a-f:]*)/.exec(line) ?? [];
    if (number === undefined) {
      if (/^ *(\d+|LOCAL)\(/.test(line))
        throw new InputError(
          `expected a port such as " 1(p1): addr:aa:55:aa:55:00:01", got ${line}`,
          {
            file,
            line: index + 1,
          },
        );
      continue;
    }
    const place = { file, line: index + 1 };
    const ofport = number === 'LOCAL' ? reservedPorts.LOCAL : Number(number);
    const isCut = written.length === shownNameMax && sameNames.has(written);
    const name = isCut ? number : written;
    if (isCut) cutNames.set(name, written);
    if (ports.has(name)) throw new InputError(`two ports are called ${name}`, place);
    if ([...ports.values()].includes(ofport))
      throw new InputError(`two ports have the number ${number}`, place);
    ports.set(name, ofport);
    current = name;
    if (number === 'LOCAL' && /^([0-9a-f]{2}:){5}[0-9a-f]{2}$/.test(address)) mac = address;
  }
  if (ports.size === 0)
    throw new InputError(
      'expected what "ovs-ofctl show" prints, such as " 1(p1): addr:aa:55:aa:55:00:01"',
      { file },
    );
  const local = [...ports].find(([, ofport]) => ofport === reservedPorts.LOCAL)?.[0];
  const localFlags = Object.keys(settings.get(local ?? '') ?? {}).filter((key) => key !== 'link');
  if (fragments !== undefined && !['normal', 'drop', 'nx-match'].includes(fragments))
    unknown.push(`frags=${fragments}`);
  return {
    ports,
    cutNames,
    settings,
    saysNoFlood: !/\(OF1\.[1-9]\)/.test(text),
    unknown: [...unknown, ...localFlags.map((key) => `no ${key} of ${local}`)],
    ...(fragments === 'drop' || fragments === 'nx-match' ? { fragments } : {}),
    ...(local === undefined ? {} : { local }),
    ...(mac === undefined ? {} : { mac }),
  };
}
