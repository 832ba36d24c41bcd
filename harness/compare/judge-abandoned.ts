/**
 * Whether the promise holds for what a proxy has no endpoint for: it ends there, and nobody else
 * gets any of it.
 */
import type { Intent } from '../domain/intent.js';
import type { HostNote } from '../domain/observation.js';
import type { Stimulus } from '../domain/test-vector.js';
import { describe, destinationOf, type BrokenPromise } from './broken-promise.js';

type Abandoned = Extract<Intent, { readonly kind: 'abandoned' }>;

/**
 * A proxy may open a port for a client of datagrams, and has no connection where it has nobody.
 * Segments that a host drops, of a connection that it does not know, are no part of it.
 */
export function judgeAbandoned(
  { by, why }: Abandoned,
  stimulus: Stimulus,
  notes: readonly HostNote[],
): BrokenPromise | undefined {
  const { from } = stimulus;
  const destination = destinationOf(stimulus) ?? by;
  const isDatagram = stimulus.kind === 'udp';
  const expected =
    `${by} takes what ${from} sends to ${destination}, no endpoint gets any of it, and ` +
    `${isDatagram ? 'nothing comes back' : `it ends for ${from}`}: ${why}`;
  const unexpected = notes.find((note) =>
    note.kind === 'relayed'
      ? !isDatagram || note.host !== by
      : unexpectedKinds.has(note.kind) || (connectionKinds.has(note.kind) && note.host !== from),
  );
  if (unexpected !== undefined) return { expected, actual: describe(unexpected) };
  const connectionNotes = notes.filter(({ kind }) => connectionKinds.has(kind));
  const [openedCount, endedCount] = [
    connectionNotes.filter(({ kind }) => kind === 'connected').length,
    connectionNotes.filter(({ kind }) => kind !== 'connected').length,
  ];
  const expectedCounts = isDatagram ? [0, 0] : stimulus.kind === 'talk' ? [0, 1] : [1, 1];
  return openedCount === expectedCounts[0] && endedCount === expectedCounts[1]
    ? undefined
    : { expected, actual: `${from} saw ${openedCount} connections stand, and ${endedCount} end` };
}

const unexpectedKinds: ReadonlySet<HostNote['kind']> = new Set([
  'received',
  'refused',
  'timed-out',
  'unreachable',
]);
const connectionKinds: ReadonlySet<HostNote['kind']> = new Set(['connected', 'closed', 'reset']);
