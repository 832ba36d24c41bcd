/**
 * Whether the promise holds for requests to a Service: by whom each of what was asked for is
 * answered.
 */
import type { Intent } from '../domain/intent.js';
import type { HostNote } from '../domain/observation.js';
import type { Stimulus } from '../domain/test-vector.js';
import { describe, destinationOf, type BrokenPromise } from './broken-promise.js';

type Balanced = Extract<Intent, { readonly kind: 'balanced' }>;

/**
 * Each arrives once, at somebody who may answer, from an address that it may see, and is answered
 * from where it was sent to.
 */
export function judgeBalanced(
  intent: Balanced,
  stimulus: Stimulus,
  notes: readonly HostNote[],
): BrokenPromise | undefined {
  const destination = destinationOf(stimulus) ?? 'it';
  const expected = describePromise(intent, stimulus.from, destination);
  const calls = stimulus.kind === 'calls' ? stimulus.count : 1;
  const unexpected =
    notes.find(({ kind }) => unexpectedKinds.has(kind)) ??
    (intent.lost === undefined ? notes.find(({ kind }) => kind === 'timed-out') : undefined);
  if (unexpected !== undefined) return { expected, actual: describe(unexpected) };
  const arrivals = arrivalsOf(intent, stimulus, notes, destination, calls);
  const wrong = arrivals.find(
    ({ host, source }) =>
      !intent.answerers.some(({ to, sources }) => to === host && sources.includes(source)),
  );
  if (wrong !== undefined) return { expected, actual: `${wrong.host} got it from ${wrong.source}` };
  if (arrivals.length === 0 && intent.lost !== undefined)
    return notes.some((note) => note.kind === 'received' || note.kind === 'connected')
      ? { expected, actual: 'an answer to what no host got' }
      : undefined;
  if (arrivals.length !== calls)
    return {
      expected,
      actual:
        arrivals.length === 0
          ? 'no host got it'
          : `${arrivals.map(({ host }) => host).join(', ')} got it: ${arrivals.length} ` +
            `arrived of ${calls}`,
    };
  const answered = arrivals.filter(
    ({ host }) =>
      !intent.answerers.some(({ to, unanswered }) => to === host && unanswered !== undefined),
  );
  const missing = replyError(stimulus, notes, destination, answered.length, arrivals);
  if (missing !== undefined) return { expected, actual: missing };
  return judgeSpread(
    intent,
    arrivals.map(({ host }) => host),
    expected,
  );
}

function judgeSpread(
  { spread, answerers }: Balanced,
  hosts: readonly string[],
  expected: string,
): BrokenPromise | undefined {
  const different = [...new Set(hosts)];
  if (spread === 'the same' && different.length > 1)
    return { expected, actual: `${hosts.join(', ')} in turn` };
  const missed = answerers.filter(({ to }) => !different.includes(to)).map(({ to }) => to);
  return spread === 'every one' && missed.length > 0
    ? { expected, actual: `of ${hosts.length} none got to ${missed.join(' or ')}` }
    : undefined;
}

interface Arrival {
  readonly host: string;
  readonly source: string;
}

/**
 * At whoever gets it: of a connection that it stands, of a datagram itself. Answers come from the
 * address that was asked; where the sender may get it itself, and see that address as the sender,
 * what came from there beyond one answer a call is what was asked for.
 */
function arrivalsOf(
  { answerers }: Balanced,
  stimulus: Stimulus,
  notes: readonly HostNote[],
  destination: string,
  calls: number,
): readonly Arrival[] {
  if (isConnection(stimulus))
    return connectedAmong(notes)
      .filter((note) => note.as === 'answerer')
      .map(({ host, peer }) => ({ host, source: peer }));
  const all = receivedAmong(notes).map(({ host, src }): Arrival => ({ host, source: src }));
  const reply = { host: stimulus.from, source: destination };
  const selfDeliveries = answerers.some(
    ({ to, sources }) => to === reply.host && sources.includes(destination),
  )
    ? all.filter((arrival) => isReply(arrival, reply)).slice(calls)
    : [];
  return [...all.filter((arrival) => !isReply(arrival, reply)), ...selfDeliveries];
}

function isReply({ host, source }: Arrival, reply: Arrival): boolean {
  return host === reply.host && source === reply.source;
}

function receivedAmong(notes: readonly HostNote[]) {
  return notes.filter((note) => note.kind === 'received');
}

function connectedAmong(notes: readonly HostNote[]) {
  return notes.filter((note) => note.kind === 'connected');
}

/** What is wrong with the answers, of which there are to be so many; undefined where nothing is. */
function replyError(
  stimulus: Stimulus,
  notes: readonly HostNote[],
  destination: string,
  answered: number,
  arrivals: readonly Arrival[],
): string | undefined {
  const selfDeliveries = arrivals.filter((arrival) =>
    isReply(arrival, { host: stimulus.from, source: destination }),
  ).length;
  const answers = receivedAmong(notes).filter(
    (note) => note.host === stimulus.from && note.src === destination,
  ).length;
  if (
    stimulus.kind !== 'probe' &&
    stimulus.kind !== 'sctp' &&
    stimulus.kind !== 'open' &&
    answers !== answered + selfDeliveries
  )
    return `${stimulus.from} got ${answers - selfDeliveries} answers from ${destination}`;
  if (!isConnection(stimulus)) return undefined;
  const messages = receivedAmong(notes).filter((note) => note.what === 'sctp').length;
  if (stimulus.kind === 'sctp' && messages !== answered)
    return `of ${answered} messages ${messages} arrived`;
  const connected = connectedAmong(notes).filter(
    (note) => note.as === 'opener' && note.host === stimulus.from && note.peer === destination,
  ).length;
  if (connected !== answered)
    return `${stimulus.from} has ${connected} connections to ${destination}`;
  const closed = notes.filter(({ kind }) => kind === 'closed').length;
  if (stimulus.kind === 'open') return closed === 0 ? undefined : `it was closed at ${closed} ends`;
  return closed === 2 * answered
    ? undefined
    : `of ${answered} connections ${closed} ends were closed`;
}

function isConnection(stimulus: Stimulus): boolean {
  return (
    stimulus.kind === 'tcp' ||
    stimulus.kind === 'probe' ||
    stimulus.kind === 'open' ||
    stimulus.kind === 'sctp' ||
    (stimulus.kind === 'calls' && stimulus.protocol === 'TCP')
  );
}

/** What no successful connection has. */
const unexpectedKinds: ReadonlySet<HostNote['kind']> = new Set([
  'refused',
  'reset',
  'dropped',
  'unreachable',
]);

function describePromise(
  { answerers, spread, lost, why }: Balanced,
  from: string,
  destination: string,
): string {
  const names = answerers
    .map(
      ({ to, sources, unanswered }) =>
        `${to} from ` +
        `${sources.join(' or ')}${unanswered === undefined ? '' : ` (whose answer does not come back: ${unanswered})`}`,
    )
    .join(', or ');
  const each =
    spread === 'any'
      ? ''
      : spread === 'the same'
        ? ', the same one each time'
        : ', and each of them some time';
  return (
    `${names} gets it${each}, and ${from} gets the answer from ${destination}: ` +
    `${why}${lost === undefined ? '' : `; or it is lost: ${lost}`}`
  );
}
