import type { PortPlan } from '../domain/plan/port-plan.js';
import { reservedPorts, type PortNames } from '../openflow/syntax/ports.js';
import type { DumpedPorts } from './dumped-ports.js';
import type { DatabaseBridge } from './ovsdb/database-bridges.js';
import { portsIn } from './ports-in.js';

/** The ports of a bridge, as a database, its flows, or nobody lists them. */
export function recordedPorts(name: string, { ports }: DatabaseBridge): PortNames {
  return new Map([
    ...ports.map((port) => [port.name, port.ofport] as const),
    [name, reservedPorts.LOCAL] as const,
  ]);
}

/** The ports that flows and groups name, by name or number. */
export function namedInFlows(named: PortNames, programs: readonly string[]): PortNames {
  const numbers = new Set(named.values());
  return new Map([
    ...named,
    ...portsIn(programs)
      .filter((ofport) => !numbers.has(ofport))
      .map((ofport) => [String(ofport), ofport] as const),
  ]);
}

export function assignedNote(ports: PortNames): string {
  return (
    'nothing says the numbers of ports: ' +
    `${[...ports].map(([name, number]) => `${name} is ${number}`).join(', ')} here`
  );
}

/** Of ports that `show` calls alike. */
export function cutNamesNote({ cutNames }: DumpedPorts): readonly string[] {
  return [...new Set(cutNames.values())].map((name) => {
    const numbers = [...cutNames].flatMap(([number, cut]) => (cut === name ? [number] : []));
    return (
      `ports ${numbers.join(', ')} are all shown as ${name}, as OpenFlow cuts their names: they ` +
      'go by their numbers here; --ovsdb has their names'
    );
  });
}

/** What dumps do not say, and floods of a bridge, or NORMAL alone, hang on. */
export interface FloodNote {
  readonly bridge: string;
  readonly by: 'NORMAL' | 'floods';
  readonly text: string;
}

/** What floods of the bridge, or NORMAL alone, hang on, and nobody has said. */
export function floodNotes(
  bridge: string,
  ports: readonly PortPlan[],
  known: {
    readonly listed: PortNames | undefined;
    readonly shown: DumpedPorts | undefined;
    readonly recorded: DatabaseBridge | undefined;
  },
): readonly FloodNote[] {
  const notes: FloodNote[] = [];
  const note = (by: FloodNote['by'], text: string) => notes.push({ bridge, by, text });
  const names = ports.map(({ name }) => name).join(', ');
  if (known.listed === undefined)
    note(
      'floods',
      `which ports ${bridge} has nothing says: floods go to those that flows and packets name ` +
        `(${names === '' ? 'none' : names}), and links are up; give what "ovs-ofctl show ` +
        `${bridge}" prints by --ports`,
    );
  if (known.shown?.saysNoFlood === false)
    note(
      'floods',
      `which ports of ${bridge} floods are kept from (NO_FLOOD) only OpenFlow 1.0 says: give ` +
        `what "ovs-ofctl -O OpenFlow10 show ${bridge}" prints`,
    );
  if (known.recorded === undefined)
    note(
      'NORMAL',
      `VLANs, mirrors, bonds and snooping of ${bridge} only the database says: NORMAL is ` +
        'answered as if there were none; give "ovsdb-client dump -f json" by --ovsdb',
    );
  return notes;
}

/** Of the bridge's own port, where nothing says it. */
export const localMac = '02:00:00:00:00:01';

/**
 * What comes out of a tunnel's port is seen as it goes into the tunnel: dumps do not say how the
 * network around it is made.
 */
export function portOf(
  name: string,
  ofport: number,
  recorded: DatabaseBridge | undefined,
  bridges: readonly string[],
): PortPlan {
  const row = recorded?.ports.find((port) => port.name === name);
  if (row?.peer !== undefined && bridges.includes(row.peer.bridge))
    return { kind: 'patch', name, ofport, peer: row.peer, ...row.settings };
  return { kind: 'endpoint', name, ofport, ...row?.settings };
}
