/** Which passes a vector is played in. */
import { Unsupported } from '../base/errors/errors.js';
import { randomFor } from '../base/random.js';
import type { Scenario } from '../domain/scenario.js';
import type { Topology } from '../domain/topology.js';
import type { Pass, Stimulus, TestVector } from '../domain/test-vector.js';
import { siblingsOf } from '../vectors/siblings.js';

/** `all` that there are, or the first, `cold`, alone: the slow path is judged and no other. */
export type Depth = 'all' | 'cold';

/**
 * The vector as it is three times, and then with one field changed: which, the seed and the
 * vector's id say, among those whose outcome something is promised about. Without such a field
 * there is no sibling. Of many calls the first few are played again.
 */
export function passesOf(
  { scenario: { intent, controlPlane }, topology, seed, depth }: PassContext,
  { id, stimulus, depth: own }: TestVector,
): readonly Pass[] {
  const cold: Pass = { name: 'cold', stimulus };
  if (depth === 'cold' || own === 'cold') return [cold];
  const later = withFewerCalls(stimulus);
  const same = (name: Pass['name']): Pass => ({ name, stimulus: later });
  const candidates = siblingsOf(topology, later).filter((candidate) =>
    hasIntent(() => intent(topology, candidate, controlPlane.promises)),
  );
  const sibling =
    candidates[randomFor(seed, `${id} sibling`).integer(0, Math.max(0, candidates.length - 1))];
  return [
    cold,
    same('again'),
    same('cached'),
    ...(sibling === undefined ? [] : [{ name: 'sibling' as const, stimulus: sibling }]),
  ];
}

/**
 * Enough to meet what is cached for each of a few endpoints. That every endpoint is called, many
 * more show, once.
 */
const maxRepeatedCalls = 8;

function withFewerCalls(stimulus: Stimulus): Stimulus {
  return stimulus.kind === 'calls'
    ? { ...stimulus, count: Math.min(stimulus.count, maxRepeatedCalls) }
    : stimulus;
}

/** What a vector's passes depend on. */
export interface PassContext {
  readonly scenario: Pick<Scenario, 'intent' | 'controlPlane'>;
  readonly topology: Topology;
  readonly seed: number;
  readonly depth: Depth;
}

function hasIntent(evaluate: () => unknown): boolean {
  try {
    evaluate();
    return true;
  } catch (error) {
    if (error instanceof Unsupported) return false;
    throw error;
  }
}

/** What the sibling has otherwise, as `ttl 63`; undefined where the stimuli are the same. */
export function differingField(stimulus: Stimulus, sibling: Stimulus): string | undefined {
  const [before, after] = [valuesByPath(stimulus), valuesByPath(sibling)];
  const name = [...new Set([...before.keys(), ...after.keys()])].find(
    (key) => before.get(key) !== after.get(key),
  );
  return name === undefined ? undefined : `${name} ${after.get(name) ?? 'as usual'}`;
}

/**
 * By name; where it stands is part of the name, but for the payload of a frame: `ttl`, `src`,
 * `frame.src`.
 */
function valuesByPath(value: object, place = ''): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(value).flatMap(([name, entry]: [string, unknown]) => {
      if (typeof entry === 'object' && entry !== null)
        return [...valuesByPath(entry, name === 'payload' ? '' : `${place}${name}.`)];
      return [[`${place}${name}`, String(entry)] as const];
    }),
  );
}
