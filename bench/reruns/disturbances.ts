/**
 * What happens beside a run: drawn from a seed and the run's number, so that it can be had again.
 */
import { randomFor, type Random } from '../../harness/base/random.js';

/** Something that begins and ends, so many milliseconds after the run has begun and later. */
export type Disturbance = Span &
  (
    | { readonly kind: 'network'; readonly come: string; readonly go: string }
    | { readonly kind: 'daemon stopped'; readonly which: number }
    | { readonly kind: 'tmpfs filled' | 'own tmpfs filled' }
  );

interface Span {
  readonly atMs: number;
  readonly forMs: number;
}

/** Longer than a run takes where nothing is slow. */
const windowMs = 12_000;
const latestFirstMs = 8_000;
const betweenChangesMs = { shortest: 50, longest: 200 } as const;
const stops = { fewest: 3, most: 8, latestMs: 5_000 } as const;
/** A run whose own folder has no room while its switches come up can have no verdict. */
const runsToAFullFolder = 50;

/** In the order in which they begin. Networks of runs that go on at one time have other names. */
export function disturbancesOf(seed: number, run: number): readonly Disturbance[] {
  const random = randomFor(seed, `disturbances of run ${run}`);
  return [...changesOfNetwork(random, run), ...stopsOfDaemons(random), filling(random)].toSorted(
    (a, b) => a.atMs - b.atMs,
  );
}

/**
 * The same, but for changes of the network before a moment that is drawn: where switches share the
 * network, one that comes before they are up spares them all that come after (sim/underlay.ts).
 */
export function withLaterChanges(seed: number, run: number): readonly Disturbance[] {
  const firstMs = randomFor(seed, `first change of run ${run}`).integer(0, latestFirstMs);
  return disturbancesOf(seed, run).filter(
    ({ kind, atMs }) => kind !== 'network' || atMs >= firstMs,
  );
}

function changesOfNetwork(random: Random, run: number): readonly Disturbance[] {
  const changes: Disturbance[] = [];
  const { shortest, longest } = betweenChangesMs;
  for (let atMs = 0; atMs < windowMs; atMs += random.integer(shortest, longest)) {
    const change = changeOfNetwork(random, `${run % 100}x${changes.length % 100}`);
    changes.push({ kind: 'network', atMs, forMs: random.integer(10, 400), ...change });
  }
  return changes;
}

/** Blocks that nobody else has, and those of the nodes, the pods and the network between nodes. */
const prefixes = ['10.99.7', '192.0.2', '10.10.1', '10.10.2', '172.30.0'] as const;

/** Lines of `ip -batch` (ip(8)). */
function changeOfNetwork(
  random: Random,
  name: string,
): { readonly come: string; readonly go: string } {
  const prefix = prefixes[random.integer(0, prefixes.length - 1)] ?? prefixes[0];
  const address = `${prefix}.${random.integer(1, 254)}`;
  const link = `link add v${name} type veth peer name w${name}`;
  switch (random.integer(0, 3)) {
    case 0:
      return { come: `address add ${address}/24 dev lo`, go: `address del ${address}/24 dev lo` };
    case 1:
      return { come: `route add ${address}/32 dev lo`, go: `route del ${address}/32 dev lo` };
    case 2:
      return { come: `${link}\nlink set v${name} up`, go: `link del v${name}` };
    default:
      return {
        come: [link, `address add ${address}/24 dev v${name}`, `link set v${name} up`].join('\n'),
        go: `link del v${name}`,
      };
  }
}

function stopsOfDaemons(random: Random): readonly Disturbance[] {
  return Array.from({ length: random.integer(stops.fewest, stops.most) }, () => ({
    kind: 'daemon stopped' as const,
    atMs: random.integer(0, stops.latestMs),
    forMs: random.integer(10, 300),
    which: random.integer(0, 999),
  }));
}

function filling(random: Random): Disturbance {
  const kind = random.integer(1, runsToAFullFolder) === 1 ? 'own tmpfs filled' : 'tmpfs filled';
  return { kind, atMs: random.integer(0, stops.latestMs), forMs: random.integer(20, 200) };
}
