/**
 * Whether what a proxy has nobody for fares as promised: it ends there, and nobody else gets any of
 * it.
 */
import type { Intent } from '../nouns/intent.js';
import type { HostNote } from '../nouns/observation.js';
import type { Stimulus } from '../nouns/vector.js';
import { describe, destinationOf, type BrokenPromise } from './promise.js';

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
  const asked = destinationOf(stimulus) ?? by;
  const isDatagram = stimulus.kind === 'udp';
  const expected =
    `${by} takes what ${from} sends to ${asked}, nobody behind it gets any of it, and ` +
    `${isDatagram ? 'nothing comes back' : `it ends for ${from}`}: ${why}`;
  const astray = notes.find((note) =>
    note.kind === 'relayed'
      ? !isDatagram || note.host !== by
      : strays.has(note.kind) || (ofConnections.has(note.kind) && note.host !== from),
  );
  if (astray !== undefined) return { expected, actual: describe(astray) };
  const own = notes.filter(({ kind }) => ofConnections.has(kind));
  const [stands, ends] = [
    own.filter(({ kind }) => kind === 'connected').length,
    own.filter(({ kind }) => kind !== 'connected').length,
  ];
  const due = isDatagram ? [0, 0] : stimulus.kind === 'talk' ? [0, 1] : [1, 1];
  return stands === due[0] && ends === due[1]
    ? undefined
    : { expected, actual: `${from} saw ${stands} connections stand, and ${ends} end` };
}

const strays: ReadonlySet<HostNote['kind']> = new Set([
  'received',
  'refused',
  'timed-out',
  'unreachable',
]);
const ofConnections: ReadonlySet<HostNote['kind']> = new Set(['connected', 'closed', 'reset']);
