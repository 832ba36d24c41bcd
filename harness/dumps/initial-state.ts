/**
 * What a switch remembered when it was dumped: connections and learned addresses, as its daemon
 * printed them.
 */
import { InputError } from '../base/errors/errors.js';
import type { BridgePlan } from '../domain/plan/bridge-plan.js';
import { reservedPorts } from '../openflow/syntax/ports.js';
import type { TextSource } from './text-source.js';

interface Line {
  readonly file: string;
  readonly line: number;
}

export interface InitialConnection extends Line {
  readonly protocol: 'tcp' | 'udp' | 'icmp' | 'icmpv6';
  readonly zone: number;
  /** `src=10.0.0.1,dst=10.0.0.2,sport=4000,dport=7`. */
  readonly original: ReadonlyMap<string, string>;
  readonly reply: ReadonlyMap<string, string>;
  readonly mark: number;
  readonly label: bigint;
  /** Seconds until it is forgotten, where they are given. */
  readonly timeoutS: number | undefined;
}

export interface InitialMac extends Line {
  readonly bridge: string;
  readonly port: string;
  readonly vlan: number;
  readonly mac: string;
  /** Seconds since it was learned; what is static neither ages nor moves. */
  readonly ageS: number | 'static';
}

/**
 * Reads `ovs-appctl dpctl/dump-conntrack`, with -m and -s or without. @throws InputError with file
 * and line.
 */
export function readConnections({ text, file }: TextSource): readonly InitialConnection[] {
  return text
    .split('\n')
    .flatMap((line, index) =>
      line.trim() === '' ? [] : [readConnection(line.trim(), { file, line: index + 1 })],
    );
}

const protocols = ['tcp', 'udp', 'icmp', 'icmpv6'] as const;

function readConnection(text: string, place: Line): InitialConnection {
  const [, name = '', original, reply, rest = ''] =
    /^(\w+),orig=\(([^)]*)\),reply=\(([^)]*)\)(.*)$/.exec(text) ?? [];
  if (original === undefined || reply === undefined)
    throw new InputError(
      'expected a line of "dpctl/dump-conntrack -m -s", such as ' +
        'udp,orig=(src=10.0.0.1,dst=10.0.0.2,sport=4000,dport=7),reply=(…),zone=7,timeout=30, ' +
        `got "${text.slice(0, 60)}"`,
      place,
    );
  const protocol = protocols.find((known) => known === name);
  if (protocol === undefined)
    throw new InputError(
      `connections of ${name} cannot be given to begin with: ${protocols.join(', ')} can`,
      place,
    );
  if (/,(helper|parent)=/.test(rest))
    throw new InputError(
      'connections with helpers, and those that they expect, cannot be given to begin with: ' +
        'let the script make them',
      place,
    );
  const state = /protoinfo=\((?:state=|state_orig=)(\w+)(?:,state_reply=(\w+))?/.exec(rest);
  if (
    protocol === 'tcp' &&
    (state === null || state.slice(1).some((end) => end !== undefined && end !== 'ESTABLISHED'))
  )
    throw new InputError(
      'of TCP, only connections that stand (ESTABLISHED) can be given to begin with, not ' +
        (state?.[0] ?? 'one without a state'),
      place,
    );
  const number = (key: string) => Number(new RegExp(`(?:^|,)${key}=(\\d+)`).exec(rest)?.[1] ?? NaN);
  const [timeoutS, label] = [number('timeout'), /,labels=(0x[\da-f]+)/.exec(rest)?.[1]];
  const parts = (tuple: string) =>
    new Map(
      tuple
        .split(',')
        .map((part) => [part.replace(/=.*/, ''), part.replace(/^[^=]*=/, '')] as const),
    );
  const found: InitialConnection = {
    ...place,
    protocol,
    zone: number('zone') || 0,
    original: parts(original),
    reply: parts(reply),
    mark: number('mark') || 0,
    label: BigInt(label ?? 0),
    timeoutS: Number.isNaN(timeoutS) ? undefined : timeoutS,
  };
  if (
    found.original.get('src') !== found.reply.get('dst') ||
    found.original.get('dst') !== found.reply.get('src') ||
    found.original.get('sport') !== found.reply.get('dport') ||
    found.original.get('dport') !== found.reply.get('sport')
  )
    throw new InputError(
      'connections with translated addresses cannot be given to begin with: let the script ' +
        'make them',
      place,
    );
  return found;
}

/** Unless a bridge's other_config:mac-aging-time says otherwise (ovs-vswitchd.conf.db(5)). */
const usualAgeS = 300;

/**
 * Reads `ovs-appctl fdb/show BRIDGE` with the ports of the bridge, by number or name. @throws
 * InputError with file and line.
 */
export function readMacs({ text, file }: TextSource, bridge: BridgePlan): readonly InitialMac[] {
  return text.split('\n').flatMap((line, index): readonly InitialMac[] => {
    if (line.trim() === '' || /^\s*port\s+VLAN\s+MAC/i.test(line)) return [];
    const place = { file, line: index + 1 };
    const [, shown = '', vlan, mac, age = '0'] =
      /^\s*(\S+)\s+(\d{1,4})\s+([0-9a-f]{2}(?::[0-9a-f]{2}){5})(?:\s+(\d+|static))?\s*$/.exec(
        line,
      ) ?? [];
    if (vlan === undefined || mac === undefined)
      throw new InputError(
        `expected a line of "fdb/show ${bridge.name}", such as "    1     0  ` +
          `0a:00:00:00:00:01   12", got "${line.trim().slice(0, 60)}"`,
        place,
      );
    const longestAgeS = bridge.macTable?.ageingS ?? usualAgeS;
    if (age !== 'static' && Number(age) >= longestAgeS)
      throw new InputError(
        `an address is forgotten ${longestAgeS} s after it was seen last; its age here is ${age}`,
        place,
      );
    const port = bridge.ports.find(
      ({ name, ofport }) => name === shown || String(ofport) === shown,
    );
    if (age !== 'static' && (port?.kind === 'patch' || port?.kind === 'tunnel'))
      throw new InputError(
        `an address behind the ${port.kind} port ${port.name} cannot be given to begin with: ` +
          'let packets of the script bring it about',
        place,
      );
    const name =
      shown === 'LOCAL' || shown === String(reservedPorts.LOCAL) || shown === bridge.name
        ? bridge.name
        : port?.name;
    if (name === undefined)
      throw new InputError(
        `bridge ${bridge.name} has no port "${shown}": it has ` +
          [...bridge.ports.map((one) => one.name), 'LOCAL'].join(', '),
        place,
      );
    const ageS = age === 'static' ? age : Number(age);
    return [{ ...place, bridge: bridge.name, port: name, vlan: Number(vlan), mac, ageS }];
  });
}
