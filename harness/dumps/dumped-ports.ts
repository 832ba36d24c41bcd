/** What `ovs-ofctl show` and `dump-ports-desc` print of a bridge's ports (ovs-ofctl(8)). */
import { InputError } from '../base/errors/errors.js';
import { reservedPorts } from '../openflow/syntax/ports.js';
import type { TextSource } from './text-source.js';

export interface DumpedPorts {
  /** OpenFlow numbers by name, LOCAL among them. */
  readonly ports: ReadonlyMap<string, number>;
  /** LOCAL's name, which is the bridge's, and its address. */
  readonly local?: string;
  readonly mac?: string;
}

/**
 * Lines such as ` 1(p1): addr:aa:55:aa:55:00:01`; the others tell of other things. @throws
 * InputError for two ports of one name or number, and when there is no port.
 */
export function readShow({ text, file }: TextSource): DumpedPorts {
  const ports = new Map<string, number>();
  let mac: string | undefined;
  for (const [index, line] of text.split('\n').entries()) {
    const [, number, name = '', address = ''] =
      /^ *(\d+|LOCAL)\(([^)]+)\): addr:([0-9a-f:]*)/.exec(line) ?? [];
    if (number === undefined) continue;
    const place = { file, line: index + 1 };
    const ofport = number === 'LOCAL' ? reservedPorts.LOCAL : Number(number);
    if (ports.has(name)) throw new InputError(`two ports are called ${name}`, place);
    if ([...ports.values()].includes(ofport))
      throw new InputError(`two ports have the number ${number}`, place);
    ports.set(name, ofport);
    if (number === 'LOCAL' && /^([0-9a-f]{2}:){5}[0-9a-f]{2}$/.test(address)) mac = address;
  }
  if (ports.size === 0)
    throw new InputError(
      'expected what "ovs-ofctl show" prints, such as " 1(p1): addr:aa:55:aa:55:00:01"',
      { file },
    );
  const local = [...ports].find(([, ofport]) => ofport === reservedPorts.LOCAL)?.[0];
  return {
    ports,
    ...(local === undefined ? {} : { local }),
    ...(mac === undefined ? {} : { mac }),
  };
}
