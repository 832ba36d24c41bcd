/** What `show` says of ports, beside what their database does. */
import { InputError } from '../base/errors/errors.js';
import { reservedPorts, type PortNames } from '../openflow/syntax/ports.js';
import { shownNameMax, type DumpedPorts } from './dumped-ports.js';
import type { DatabaseBridge } from './ovsdb/database-bridges.js';

/**
 * The ports of `show` under the names that the database has for their numbers.
 * @throws InputError for a port that only one of the two has, or that has another name: they are
 *   not of one bridge, or not of one moment.
 */
export function matchPorts(
  bridge: string,
  file: string,
  shown: DumpedPorts,
  recorded: DatabaseBridge,
): DumpedPorts {
  const byNumber = new Map(recorded.ports.map(({ name, ofport }) => [ofport, name]));
  const names = new Map<string, string>();
  for (const [name, ofport] of shown.ports) {
    const whole = ofport === reservedPorts.LOCAL ? bridge : byNumber.get(ofport);
    const cut = shown.cutNames.get(name) ?? name;
    if (whole === undefined || whole.slice(0, shownNameMax) !== cut.slice(0, shownNameMax))
      throw new InputError(
        `port ${portText(ofport)} is ${cut} here, and ${whole ?? 'no port'} of ${bridge} in the ` +
          'database: expected dumps of one bridge and one moment',
        { file },
      );
    names.set(name, whole);
  }
  const missing = recorded.ports.find(({ ofport }) => ![...shown.ports.values()].includes(ofport));
  if (missing !== undefined)
    throw new InputError(
      `port ${missing.ofport}, ${missing.name} of ${bridge} in the database, is missing here: ` +
        'expected dumps of one bridge and one moment',
      { file },
    );
  const renamed = <T>(map: ReadonlyMap<string, T>): ReadonlyMap<string, T> =>
    new Map([...map].map(([name, value]) => [names.get(name) ?? name, value]));
  return { ...shown, ports: renamed(shown.ports), settings: renamed(shown.settings) };
}

function portText(ofport: number): string {
  return ofport === reservedPorts.LOCAL ? 'LOCAL' : String(ofport);
}

/** The same, and what flows call long names where that is one port's alone. */
export function withCutNames(ports: PortNames): PortNames {
  const cut = [...ports].map(([name, ofport]) => [name.slice(0, shownNameMax), ofport] as const);
  const isOne = (name: string) => cut.filter(([other]) => other === name).length === 1;
  return new Map([...cut.filter(([name]) => isOne(name)), ...ports]);
}
