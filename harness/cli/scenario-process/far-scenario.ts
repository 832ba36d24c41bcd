/** A scenario whose functions run in another process: called here, they ask for their values. */
import { BugInFlowbed, type Place } from '../../base/errors/errors.js';
import { deserialiseError } from '../../base/errors/serialised-error.js';
import type { Intent } from '../../domain/intent.js';
import type { Scenario } from '../../domain/scenario.js';
import type { Stimulus, TestVector } from '../../domain/test-vector.js';
import type { Answer, Argument, Outcome, Shape, Thrown } from './messages.js';
import { ownNamed } from './own-promises.js';
import type { ScenarioLink } from './scenario-link.js';

/** A function did something else there than to give data or to throw an error of Flowbed's. */
export class ThrownThere extends Error {
  constructor(
    /** `threw Error: no` */
    readonly did: string,
    readonly thrownAt: Place | undefined,
  ) {
    super(did);
  }
}

/** So many promises are asked for at once: how long one takes is lost between two others. */
const askedAtOnce = 200;

/** What both processes know, by its number: here positive ones come from there. */
export interface KnownObjects {
  readonly argumentFor: (value: unknown) => Argument;
  readonly learn: (answer: Extract<Answer, { readonly kind: 'given' }>) => void;
}

export function noKnownObjects(): KnownObjects {
  const ids = new WeakMap<object, number>();
  let lastOwn = 0;
  return {
    argumentFor(value) {
      if (typeof value !== 'object' || value === null) return { kind: 'given', value };
      const id = ids.get(value);
      if (id !== undefined) return { kind: 'known', id };
      ids.set(value, --lastOwn);
      return { kind: 'introduced', id: lastOwn, value };
    },
    learn({ known, firstId }) {
      for (const [index, part] of known.entries()) ids.set(part, firstId + index);
    },
  };
}

/**
 * @param shape as the other process says it is. @param name as it was asked for.
 * @throws from its functions what they throw there; Unavailable where the process ends.
 */
export function farScenario(
  link: ScenarioLink,
  known: KnownObjects,
  { scenario, shape, name }: { scenario: number; shape: Shape; name: string },
): Scenario {
  const call = (path: readonly string[], args: readonly Argument[]): unknown => {
    const what = `${path.join('.')}() of scenario ${name}`;
    const answer = link.ask({ kind: 'call', scenario, path, args }, what);
    if (answer.kind === 'threw') throw errorOf(answer.thrown);
    known.learn(answer);
    return answer.value;
  };
  // Promises compare parts of what they are given: all of it goes there in one piece.
  const built = build(shape, [], (path, [first, ...rest]) =>
    call(path, [
      isAboutCluster(path) ? known.argumentFor(first) : { kind: 'given', value: first },
      ...rest.map((value): Argument => ({ kind: 'given', value })),
    ]),
  ) as Scenario;
  const isOwn = (...path: readonly string[]) => memberOf(shape, ...path)?.kind === 'own';
  if (isOwn('intent') && isOwn('controlPlane', 'promises')) return built;
  return { ...built, ...withIntentsAhead(link, known, { scenario, name, vectors: built.vectors }) };
}

/** What is called with a cluster again and again. */
function isAboutCluster(path: readonly string[]): boolean {
  return ['vectors', 'controlPlane.plan'].includes(path.join('.'));
}

/** Promises are asked for in the order of vectors, many at once. */
function withIntentsAhead(
  link: ScenarioLink,
  known: KnownObjects,
  { scenario, name, vectors }: { scenario: number; name: string; vectors: Scenario['vectors'] },
): Pick<Scenario, 'intent' | 'vectors'> {
  let last: readonly TestVector[] = [];
  const outcomes = new WeakMap<object, WeakMap<Stimulus, Outcome>>();
  const outcomesOf = (topology: object) => {
    const found = outcomes.get(topology) ?? new WeakMap<Stimulus, Outcome>();
    outcomes.set(topology, found);
    return found;
  };
  return {
    vectors(topology) {
      last = vectors(topology);
      return last;
    },
    intent(topology, stimulus) {
      const found = outcomesOf(topology);
      if (!found.has(stimulus)) {
        const place = last.findIndex((vector) => vector.stimulus === stimulus);
        const ahead =
          place < 0
            ? [stimulus]
            : last.slice(place, place + askedAtOnce).map((vector) => vector.stimulus);
        const answer = link.ask(
          { kind: 'intents', scenario, topology: known.argumentFor(topology), stimuli: ahead },
          `intent() of scenario ${name}`,
        );
        if (answer.kind === 'threw') throw errorOf(answer.thrown);
        const given = Array.isArray(answer.value) ? (answer.value as readonly Outcome[]) : [];
        for (const [index, outcome] of given.entries()) {
          const asked = ahead[index];
          if (asked !== undefined) found.set(asked, outcome);
        }
      }
      const outcome = found.get(stimulus);
      if (outcome?.kind === 'threw') throw errorOf(outcome.thrown);
      return outcome?.value as Intent;
    },
  };
}

type Call = (path: readonly string[], args: readonly unknown[]) => unknown;

function build(shape: Shape, path: readonly string[], call: Call): unknown {
  switch (shape.kind) {
    case 'data':
      return shape.value;
    case 'own':
      return ownNamed(shape.name);
    case 'function':
      return (...args: readonly unknown[]) => call(path, args);
    case 'object':
      return Object.fromEntries(
        Object.entries(shape.members).map(([name, member]) => [
          name,
          build(member, [...path, name], call),
        ]),
      );
  }
}

function memberOf(shape: Shape | undefined, ...path: readonly string[]): Shape | undefined {
  const [name, ...rest] = path;
  if (name === undefined || shape === undefined) return shape;
  return shape.kind === 'object' ? memberOf(shape.members[name], ...rest) : undefined;
}

export function errorOf(thrown: Thrown): Error {
  if (thrown.kind === 'described') return new ThrownThere(thrown.did, thrown.place);
  const { error } = thrown;
  return error.kind === 'bug'
    ? Object.assign(new BugInFlowbed(error.message.replace(/^bug in flowbed: /, '')), {
        stack: error.stack,
      })
    : deserialiseError(error);
}
