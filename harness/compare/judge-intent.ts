/** Whether what happened is what was promised: L0 against what the hosts saw. */
import { isDeepStrictEqual } from 'node:util';
import { assertNever } from '../base/errors/errors.js';
import { judgeAbandoned } from './judge-abandoned.js';
import { judgeAnnounced } from './judge-announced.js';
import { judgeArrivals } from './judge-arrivals.js';
import { judgeBalanced } from './judge-balanced.js';
import { describe, describeLease, destinationOf, type BrokenPromise } from './broken-promise.js';
import type { ContradictedIntent, Intent } from '../domain/intent.js';
import type { HostNote, Lease, Observation } from '../domain/observation.js';
import type { Stimulus } from '../domain/test-vector.js';
import { connectionNotes } from './connection-notes.js';
import { judgeRoundTrip } from './judge-round-trip.js';
import { judgeBlocked, judgeDenied, judgeRejection } from './judge-denied.js';

/**
 * Undefined when the promise was kept; of one that is contradicted, when what is known happened in
 * its place. Judges hosts: what they noted, and the frames at their interfaces.
 */
export function judgeIntent(
  intent: Intent,
  stimulus: Stimulus,
  observation: Observation,
): BrokenPromise | undefined {
  if (intent.kind === 'either') return judgeEither(intent, stimulus, observation);
  if (intent.kind === 'contradicted') return judgeContradicted(intent, stimulus, observation);
  const { frames, notes, hostFrames = [] } = observation;
  const seen = { frames, notes: notes.filter((note) => !isRefusalBefore(intent, note)) };
  const endless = seen.notes.find(({ kind }) => kind === 'endless');
  if (endless !== undefined)
    return { expected: 'the frames are delivered or dropped', actual: describe(endless) };
  return (
    judgeRelay(intent, stimulus, seen.notes) ??
    judgeOutcome(intent, stimulus, seen) ??
    judgeArrivals(intent, stimulus, hostFrames)
  );
}

/** Judges what the hosts noted. */
function judgeOutcome(
  intent: Exclude<Intent, { readonly kind: 'either' | 'contradicted' }>,
  stimulus: Stimulus,
  seen: Observation,
): BrokenPromise | undefined {
  switch (intent.kind) {
    case 'round-trip':
      return judgeRoundTrip(intent, stimulus, seen);
    case 'refused':
      return judgeRefusal(intent, stimulus, seen.notes);
    case 'delivered':
      return judgeDelivery(intent, stimulus, seen.notes);
    case 'balanced':
      return judgeBalanced(intent, stimulus, seen.notes);
    case 'abandoned':
      return judgeAbandoned(intent, stimulus, seen.notes);
    case 'rejected':
      return judgeRejection(intent, stimulus, seen.notes);
    case 'resolves':
      return judgeResolution(intent, stimulus, seen.notes);
    case 'leases':
      return judgeLease(intent.lease, stimulus, seen.notes);
    case 'announced':
      return judgeAnnounced(intent, stimulus, seen);
    case 'denied':
      return judgeDenied(intent.why, stimulus, seen.notes);
    case 'blocked':
      return judgeBlocked(intent.why, stimulus, seen);
    default:
      return assertNever(intent);
  }
}

/**
 * The result of an intent: the outcome that was met, where there are several; else what was
 * expected.
 */
export function outcomeOf(intent: Intent, stimulus: Stimulus, observation: Observation): Intent {
  if (intent.kind === 'contradicted') return intent.instead;
  if (intent.kind !== 'either') return intent;
  return (
    intent.outcomes.find((outcome) => judgeIntent(outcome, stimulus, observation) === undefined) ??
    intent
  );
}

function judgeEither(
  { outcomes, why }: Extract<Intent, { kind: 'either' }>,
  stimulus: Stimulus,
  observation: Observation,
): BrokenPromise | undefined {
  const broken = outcomes.map((outcome) => judgeIntent(outcome, stimulus, observation));
  const [first] = broken;
  if (first === undefined || broken.includes(undefined)) return undefined;
  const alternatives = broken.flatMap((one) => one?.expected ?? []);
  return { expected: `one of these: ${alternatives.join('; or ')} (${why})`, actual: first.actual };
}

function judgeContradicted(
  { promise, instead, by, cause = '' }: ContradictedIntent,
  stimulus: Stimulus,
  observation: Observation,
): BrokenPromise | undefined {
  const broken = judgeIntent(instead, stimulus, observation);
  if (broken === undefined) return undefined;
  const expected = `the known divergence ${by} (${cause}): ${broken.expected}`;
  const isKept = judgeIntent(promise, stimulus, observation) === undefined;
  const actual = isKept
    ? `what is known to be broken was kept, as promised: ${by} does not occur any more`
    : broken.actual;
  return { expected, actual };
}

/** A proxy continues with the next endpoint when one refuses it. */
function isRefusalBefore(intent: Intent, { kind, host }: HostNote): boolean {
  return kind === 'dropped' && 'relay' in intent && intent.relay?.refusing?.includes(host) === true;
}

/**
 * One connection of a proxy's for each that is asked for, by whom it is promised; of datagrams, one
 * for the client at least. What is `abandoned` says by itself what a proxy may open.
 */
function judgeRelay(
  intent: Intent,
  stimulus: Stimulus,
  notes: readonly HostNote[],
): BrokenPromise | undefined {
  if (intent.kind === 'abandoned') return undefined;
  const relayNotes = notes.filter((note) => note.kind === 'relayed');
  const relay = 'relay' in intent ? intent.relay : undefined;
  const wrong = relayNotes.find((note) => note.host !== relay?.by || note.client !== relay.client);
  const expected =
    relay === undefined
      ? 'no host opens a connection in the place of another'
      : `${relay.by} opens a connection of its own for each of ${relay.client}`;
  if (wrong !== undefined) return { expected, actual: describe(wrong) };
  const calls = stimulus.kind === 'calls' ? stimulus.count : 1;
  return relay === undefined || relayNotes.length === calls
    ? undefined
    : { expected, actual: `it has opened ${relayNotes.length} for ${calls}` };
}

function judgeRefusal(
  intent: Extract<Intent, { kind: 'refused' }>,
  stimulus: Stimulus,
  notes: readonly HostNote[],
): BrokenPromise | undefined {
  const expected =
    `${intent.to} gets it once, from ${intent.source}, and ${stimulus.from} gets one reset ` +
    `from ${destinationOf(stimulus) ?? 'it'}: ${intent.why}`;
  const arrivals = notes.filter(({ kind }) => kind === 'dropped');
  const resets = notes.filter(({ kind }) => kind === 'refused' || kind === 'reset');
  const unexpected = notes.find(
    (note) => note.kind === 'received' || note.kind === 'timed-out' || note.kind === 'connected',
  );
  if (unexpected !== undefined) return { expected, actual: describe(unexpected) };
  const [arrival, reset] = [arrivals[0], resets[0]];
  if (arrival?.kind !== 'dropped') return { expected, actual: 'no host got it' };
  if (arrivals.length > 1 || arrival.host !== intent.to || arrival.src !== intent.source)
    return { expected, actual: arrivals.map(describe).join('; ') };
  if (reset === undefined) return { expected, actual: `${stimulus.from} got no reset` };
  const right =
    resets.length === 1 &&
    reset.host === stimulus.from &&
    'peer' in reset &&
    reset.peer === destinationOf(stimulus);
  return right ? undefined : { expected, actual: resets.map(describe).join('; ') };
}

function judgeDelivery(
  intent: Extract<Intent, { kind: 'delivered' }>,
  stimulus: Stimulus,
  notes: readonly HostNote[],
): BrokenPromise | undefined {
  const expected =
    `${intent.to} gets it once, from ${intent.source}, and ${stimulus.from} gets no answer: ` +
    intent.why;
  const arrivals = notes.filter(
    ({ kind }) => kind === 'received' || kind === 'dropped' || connectionNotes.has(kind),
  );
  const [arrival] = arrivals;
  if (arrival === undefined) return { expected, actual: 'no host got it' };
  const right =
    arrivals.length === 1 &&
    arrival.kind === 'received' &&
    arrival.host === intent.to &&
    arrival.src === intent.source;
  return right ? undefined : { expected, actual: arrivals.map(describe).join('; ') };
}

function judgeResolution(
  intent: Extract<Intent, { kind: 'resolves' }>,
  stimulus: Stimulus,
  notes: readonly HostNote[],
): BrokenPromise | undefined {
  const expected = `${stimulus.from} learns that ${intent.ip} is at ${intent.mac}`;
  const [answer, ...more] = notes.filter(
    (note) =>
      note.host === stimulus.from && (note.kind === 'resolved' || note.kind === 'unresolved'),
  );
  if (answer?.kind !== 'resolved') return { expected, actual: 'no host answered' };
  if (answer.ip !== intent.ip || answer.mac !== intent.mac)
    return { expected, actual: describe(answer) };
  if (more.length > 0)
    return { expected, actual: `${stimulus.from} got ${more.length + 1} answers` };
  return undefined;
}

function judgeLease(
  lease: Lease,
  stimulus: Stimulus,
  notes: readonly HostNote[],
): BrokenPromise | undefined {
  const expected = `${stimulus.from} is given ${describeLease(lease)}`;
  const [answer, ...more] = notes;
  if (answer === undefined) return { expected, actual: 'no host noted anything' };
  if (
    answer.kind !== 'leased' ||
    answer.host !== stimulus.from ||
    !isDeepStrictEqual(answer.lease, lease)
  )
    return { expected, actual: describe(answer) };
  return more[0] === undefined
    ? undefined
    : { expected, actual: `more than that: ${describe(more[0])}` };
}
