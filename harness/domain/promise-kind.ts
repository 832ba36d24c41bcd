/**
 * What is promised, in as few words as a table has room for: the same wherever vectors are counted.
 */
export const promiseKinds = [
  'must pass',
  'must be refused',
  'must not pass',
  'nobody holds it',
  'may pass',
  'known to diverge',
  'nothing promised',
] as const;

export type PromiseKind = (typeof promiseKinds)[number];

/** What is promised of a cell of a matrix, a letter each. */
export const promiseLetters: Readonly<Record<PromiseKind, string>> = {
  'must pass': '+',
  'must be refused': 'r',
  'must not pass': '-',
  'nobody holds it': 'n',
  'may pass': '~',
  'known to diverge': '!',
  'nothing promised': '?',
};

const kinds: Readonly<Record<string, PromiseKind>> = {
  'round-trip': 'must pass',
  resolves: 'must pass',
  leases: 'must pass',
  announced: 'must pass',
  delivered: 'must pass',
  balanced: 'must pass',
  refused: 'must be refused',
  rejected: 'must be refused',
  abandoned: 'must be refused',
  denied: 'must not pass',
  blocked: 'must not pass',
  either: 'may pass',
  contradicted: 'known to diverge',
};

/** What of an intent decides, or of a report's: there it may be one that L0 does not know. */
export interface PromisedIntent {
  readonly kind: string;
  /** Why some of it may get lost: policies shut some endpoints of a Service. */
  readonly lost?: unknown;
  /** The address that nobody holds: what is sent there says nothing of what keeps packets back. */
  readonly unheld?: unknown;
}

export function promiseKindOf({ kind, lost, unheld }: PromisedIntent): PromiseKind {
  if (lost !== undefined) return 'may pass';
  if (unheld !== undefined) return 'nobody holds it';
  return kinds[kind] ?? 'nothing promised';
}

/** How many there are of each kind, of those that there are. */
export function promisesCounted(
  intents: readonly PromisedIntent[],
): readonly (readonly [PromiseKind, number])[] {
  const promised = intents.map(promiseKindOf);
  return promiseKinds
    .map((kind) => [kind, promised.filter((each) => each === kind).length] as const)
    .filter(([, count]) => count > 0);
}

/** `must pass`, or how many of each when they are not alike: `2 must pass, 1 must not pass`. */
export function countPromises(intents: readonly PromisedIntent[]): string {
  const counted = promisesCounted(intents);
  const [only, ...others] = counted;
  return others.length === 0
    ? (only?.[0] ?? '')
    : counted.map(([kind, count]) => `${count} ${kind}`).join(', ');
}
