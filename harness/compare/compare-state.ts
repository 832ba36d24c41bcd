/**
 * What switches remember when a vector is over: connections, learned MACs and who asked for which
 * multicast, the model's against the switch's.
 */
import type {
  LearnedMac,
  MulticastPort,
  SwitchState,
  TrackedConnection,
} from '../domain/switch-state.js';
import type { Count } from '../domain/verdict.js';

/** One entry that is missing, unexpected or different; `fields` names what differs. */
export interface StateDifference {
  /** `macs` is about all that ports were learned for: MACs, and multicast. */
  readonly aspect: 'connections' | 'macs';
  readonly kind: 'missing' | 'unexpected' | 'different';
  readonly node: string;
  /** What the entry is about: `tcp connection src=… on n1`, `0a:00:0a:0a:01:02 on br-int of n1`. */
  readonly about: string;
  readonly fields: readonly string[];
  readonly expected: string;
  readonly actual: string;
}

export interface StateComparison {
  readonly differences: readonly StateDifference[];
  readonly connections: Count;
  readonly macs: Count;
}

/**
 * One comparison an entry that is expected, and one a node, that there is no other. Entries are
 * distinguished by what they are about.
 */
export function compareState(
  expected: SwitchState,
  actual: SwitchState,
  nodes: number,
): StateComparison {
  const count = (entries: number): Count => ({
    expected: entries + nodes,
    made: entries + nodes,
    skipped: 0,
  });
  return {
    differences: [
      ...compareEntries(
        'connections',
        expected.connections.map(ofConnection),
        withoutLost(expected.connections, actual.connections).map(ofConnection),
      ),
      ...compareEntries('macs', learnedOf(expected), learnedOf(actual)),
    ],
    connections: count(expected.connections.length),
    macs: count(learnedOf(expected).length),
  };
}

/** What was seen, without what only a clock that runs makes different: no trace depends on it. */
export function withoutLostSeconds(expected: SwitchState, actual: SwitchState): SwitchState {
  const connections = withoutLost(expected.connections, actual.connections);
  return connections === actual.connections ? actual : { ...actual, connections };
}

/** Seconds that are counted by a clock that runs are fewer by what it is ahead. */
function withoutLost(
  expected: readonly TrackedConnection[],
  actual: readonly TrackedConnection[],
): readonly TrackedConnection[] {
  if (actual.every(({ aheadS }) => aheadS === undefined)) return actual;
  const wanted = new Map(expected.map((one) => [ofConnection(one).about, one.timeoutS]));
  return actual.map((one) => {
    const timeoutS = wanted.get(ofConnection(one).about);
    const { aheadS = 0, ...seen } = one;
    const lostS = (timeoutS ?? one.timeoutS) - one.timeoutS;
    return lostS > 0 && lostS <= aheadS ? { ...seen, timeoutS: one.timeoutS + lostS } : seen;
  });
}

interface Entry {
  readonly node: string;
  readonly about: string;
  readonly values: Readonly<Record<string, string>>;
}

function ofConnection({
  node,
  zone,
  protocol,
  original,
  reply,
  mark,
  label,
  progress,
  helper,
  parent,
  timeoutS,
}: TrackedConnection): Entry {
  return {
    node,
    about: `${protocol} connection ${original} in zone ${zone} on ${node}`,
    values: {
      reply,
      mark: `0x${mark.toString(16)}${label === undefined ? '' : `, label ${label}`}`,
      protoinfo: progress || 'none',
      ...(helper === undefined ? {} : { helper }),
      ...(parent === undefined ? {} : { parent }),
      timeout: `${timeoutS} s`,
    },
  };
}

function ofMac({ node, bridge, port, vlan, mac }: LearnedMac): Entry {
  return {
    node,
    about: `${mac}${vlan === 0 ? '' : ` in VLAN ${vlan}`} on ${bridge} of ${node}`,
    values: { port },
  };
}

/** Of a group any number of ports. */
function ofMulticast({ node, bridge, port, vlan, group, ageS }: MulticastPort): Entry {
  return {
    node,
    about:
      `multicast ${group}${vlan === 0 ? '' : ` in VLAN ${vlan}`} to ${port} of ${bridge} on ` +
      node,
    values: { age: `${ageS} s` },
  };
}

function learnedOf({ macs, multicast = [] }: SwitchState): readonly Entry[] {
  return [...macs.map(ofMac), ...multicast.map(ofMulticast)];
}

function compareEntries(
  aspect: StateDifference['aspect'],
  expected: readonly Entry[],
  actual: readonly Entry[],
): readonly StateDifference[] {
  const [wanted, seen] = [entriesBySubject(expected), entriesBySubject(actual)];
  return [...new Set([...wanted.keys(), ...seen.keys()])]
    .sort()
    .flatMap((about): readonly StateDifference[] => {
      const [a, b] = [wanted.get(about), seen.get(about)];
      const node = (a ?? b)?.node ?? '';
      const difference = { aspect, node, about, expected: print(a), actual: print(b) };
      if (b === undefined) return [{ ...difference, kind: 'missing', fields: [] }];
      if (a === undefined) return [{ ...difference, kind: 'unexpected', fields: [] }];
      const fields = [...new Set([a, b].flatMap(({ values }) => Object.keys(values)))].filter(
        (name) => a.values[name] !== b.values[name],
      );
      return fields.length === 0 ? [] : [{ ...difference, kind: 'different', fields }];
    });
}

function entriesBySubject(entries: readonly Entry[]): ReadonlyMap<string, Entry> {
  return new Map(entries.map((entry) => [entry.about, entry]));
}

function print(entry: Entry | undefined): string {
  return entry === undefined
    ? 'nothing'
    : Object.entries(entry.values)
        .map(([name, value]) => `${name} ${value}`)
        .join(', ');
}
