/** Promises that the one that is asked answers: a message, or a whole connection. */
import type { Intent } from '../domain/intent.js';
import type { HostNote, Observation } from '../domain/observation.js';
import type { Stimulus } from '../domain/test-vector.js';
import { type BrokenPromise, describe, destinationOf } from './broken-promise.js';
import { connectionNotes } from './connection-notes.js';
import { pathDivergence } from './path-divergence.js';

/** Its receiver notes that it drops what does not belong. */
function judgeInterjection(
  intent: Extract<Intent, { kind: 'round-trip' }>,
  stimulus: Stimulus,
  notes: readonly HostNote[],
): BrokenPromise | undefined {
  const arrivals = notes.filter(({ kind }) => kind === 'dropped');
  const { kind, why } = intent.interjection ?? { kind: 'dropped', why: 'none was sent' };
  if (kind === 'any') return undefined;
  const receiver =
    stimulus.kind === 'tcp' && stimulus.interjection?.by === 'answerer' ? stimulus.from : intent.to;
  if (kind === 'dropped')
    return arrivals[0] === undefined
      ? undefined
      : {
          expected: `no segment that does not belong arrives: ${why}`,
          actual: describe(arrivals[0]),
        };
  const unexpected = arrivals.find(({ host }) => host !== receiver) ?? arrivals[1];
  if (unexpected !== undefined)
    return {
      expected: `at most one segment that does not belong arrives, at ${receiver}: ${why}`,
      actual: describe(unexpected),
    };
  return kind === 'arrives' && arrivals.length === 0
    ? {
        expected: `${receiver} gets the segment that does not belong: ${why}`,
        actual: 'no host got it',
      }
    : undefined;
}

/** The one message of an association comes to its answerer alone, once. */
function judgeMessage(
  intent: Extract<Intent, { kind: 'round-trip' }>,
  stimulus: Stimulus,
  notes: readonly HostNote[],
): BrokenPromise | undefined {
  const expected = `${intent.to} gets the message once, from ${intent.source}`;
  const deliveries = notes.filter((note) => note.kind === 'received');
  const wrong = deliveries.find(({ host, src }) => host !== intent.to || src !== intent.source);
  if (wrong !== undefined) return { expected, actual: describe(wrong) };
  return deliveries.length === 1
    ? undefined
    : {
        expected,
        actual:
          deliveries.length === 0
            ? `no host got what ${stimulus.from} sent`
            : `${intent.to} got it ${deliveries.length} times`,
      };
}

/**
 * Both ends see the connection stand once and closed once, nobody else sees one, and a segment that
 * does not belong keeps the promise.
 */
function judgeConnection(
  intent: Extract<Intent, { kind: 'round-trip' }>,
  stimulus: Stimulus,
  notes: readonly HostNote[],
): BrokenPromise | undefined {
  const stays = stimulus.kind === 'open';
  const expected =
    `a connection from ${stimulus.from} to ${intent.to} stands, and is ` +
    (stays ? 'not closed' : 'closed at both ends');
  const unexpected = notes.find(
    (note) =>
      connectionNotes.has(note.kind) && note.host !== stimulus.from && note.host !== intent.to,
  );
  if (unexpected !== undefined) return { expected, actual: describe(unexpected) };
  const failed = notes.find(
    ({ kind }) => kind === 'refused' || kind === 'reset' || kind === 'timed-out',
  );
  if (failed !== undefined) return { expected, actual: describe(failed) };
  const ends = [
    [stimulus.from, 'opener', destinationOf(stimulus)],
    [intent.to, 'answerer', intent.source],
  ] as const;
  for (const [host, as, peer] of ends) {
    const connected = notes.filter((note) => note.kind === 'connected' && note.host === host);
    const [first] = connected;
    if (
      connected.length !== 1 ||
      first?.kind !== 'connected' ||
      first.as !== as ||
      first.peer !== peer
    )
      return {
        expected,
        actual: first === undefined ? `${host} saw none` : connected.map(describe).join('; '),
      };
    const closed = notes.filter((note) => note.kind === 'closed' && note.host === host).length;
    if (closed !== (stays ? 0 : 1))
      return { expected, actual: `${host} saw it closed ${closed} times` };
  }
  return judgeInterjection(intent, stimulus, notes);
}

export function judgeRoundTrip(
  intent: Extract<Intent, { kind: 'round-trip' }>,
  stimulus: Stimulus,
  seen: Observation,
): BrokenPromise | undefined {
  const { notes } = seen;
  if (stimulus.kind === 'tcp' || stimulus.kind === 'probe' || stimulus.kind === 'open') {
    const broken =
      judgeConnection(intent, stimulus, notes) ?? pathDivergence(intent.path ?? [], seen);
    if (broken !== undefined || stimulus.kind !== 'tcp') return broken;
  }
  if (stimulus.kind === 'sctp')
    return judgeConnection(intent, stimulus, notes) ?? judgeMessage(intent, stimulus, notes);
  const expected =
    `${intent.to} gets it once, from ${intent.source}, and ${stimulus.from} gets one answer ` +
    `from ${destinationOf(stimulus) ?? 'it'}`;
  const received = notes.filter((note) => note.kind === 'received');
  const deliveries = received.filter(({ host }) => host !== stimulus.from);
  const answers = received.filter(({ host }) => host === stimulus.from);
  const [delivery] = deliveries;
  if (delivery === undefined) return { expected, actual: 'no host got it' };
  const wrong = deliveries.find(({ host, src }) => host !== intent.to || src !== intent.source);
  if (wrong !== undefined) return { expected, actual: describe(wrong) };
  if (deliveries.length > 1)
    return { expected, actual: `${intent.to} got it ${deliveries.length} times` };
  const [answer] = answers;
  if (answer === undefined) return { expected, actual: `${stimulus.from} got no answer` };
  if (answers.length > 1)
    return { expected, actual: `${stimulus.from} got ${answers.length} answers` };
  if (answer.src !== destinationOf(stimulus)) return { expected, actual: describe(answer) };
  return pathDivergence(intent.path ?? [], seen);
}
