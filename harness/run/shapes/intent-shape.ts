/** The shape of an `Intent`, with all that it can say. */
import { z } from 'zod';
import type { Crossing, Intent, PathIntent, RelayIntent } from '../../domain/intent.js';
import { looseShape, portNumber, texts, type ShapeOf } from './shape-values.js';

type IntentOf<Kind> = ShapeOf<Extract<Intent, { readonly kind: Kind }>>;

const word = z.string();
const relay = looseShape({
  by: word,
  client: word,
  refusing: texts.optional(),
} satisfies ShapeOf<RelayIntent>).optional();

const path = looseShape({
  node: word,
  ports: texts,
  crossings: z.array(
    looseShape({
      direction: z.enum(['in', 'out']),
      port: word,
      src: word,
      dst: word,
      mac: word.optional(),
      srcPorts: looseShape({ first: portNumber, last: portNumber }).optional(),
    } satisfies ShapeOf<Crossing>),
  ),
} satisfies ShapeOf<PathIntent>);

const why = word;

const transmission = z.union([z.int().min(1), z.literal('any')]).optional();

/** An `Intent`. */
export const intent: z.ZodType = z.lazy(() => kinds);

const kinds = z.discriminatedUnion('kind', [
  looseShape({
    kind: z.literal('round-trip'),
    to: word,
    source: word,
    interjection: looseShape({
      kind: z.enum(['arrives', 'dropped', 'open', 'any']),
      why,
    }).optional(),
    path: z.array(path).optional(),
    relay,
    through: word.optional(),
    transmission,
  } satisfies IntentOf<'round-trip'>),
  looseShape({
    kind: z.literal('refused'),
    to: word,
    source: word,
    why,
  } satisfies IntentOf<'refused'>),
  looseShape({
    kind: z.literal('delivered'),
    to: word,
    source: word,
    why,
  } satisfies IntentOf<'delivered'>),
  looseShape({
    kind: z.literal('balanced'),
    answerers: z.array(looseShape({ to: word, sources: texts, unanswered: word.optional() })),
    spread: z.enum(['any', 'the same', 'every one']),
    lost: word.optional(),
    ignoredBy: texts.optional(),
    relay,
    transmission,
    why,
  } satisfies IntentOf<'balanced'>),
  looseShape({
    kind: z.literal('rejected'),
    by: z.literal('a reset').optional(),
    why,
    unheld: word.optional(),
  } satisfies IntentOf<'rejected'>),
  looseShape({
    kind: z.literal('abandoned'),
    by: word,
    why,
    refusedBy: word.optional(),
  } satisfies IntentOf<'abandoned'>),
  looseShape({ kind: z.literal('resolves'), ip: word, mac: word } satisfies IntentOf<'resolves'>),
  looseShape({
    kind: z.literal('leases'),
    lease: looseShape({
      ip: word,
      netmask: z.string(),
      router: z.string(),
      server: z.string(),
      dnsServer: z.string(),
      hostname: z.string(),
      seconds: z.number(),
    }),
  } satisfies IntentOf<'leases'>),
  looseShape({
    kind: z.literal('announced'),
    port: word,
    what: texts,
  } satisfies IntentOf<'announced'>),
  looseShape({
    kind: z.literal('denied'),
    why,
    ignoredBy: texts.optional(),
    unheld: word.optional(),
  } satisfies IntentOf<'denied'>),
  looseShape({
    kind: z.literal('blocked'),
    why,
    unheld: word.optional(),
  } satisfies IntentOf<'blocked'>),
  looseShape({
    kind: z.literal('either'),
    outcomes: z.array(intent),
    why,
  } satisfies IntentOf<'either'>),
  looseShape({
    kind: z.literal('contradicted'),
    promise: intent,
    instead: intent,
    insteadOnLinux: intent.optional(),
    by: word,
    pass: z.literal('cold').optional(),
    cause: word.optional(),
  } satisfies IntentOf<'contradicted'>),
]);

/** An `Intent`, or why there is none, as a report has it. */
export const reportedIntent: z.ZodType = z.lazy(() =>
  z.discriminatedUnion('kind', [...kinds.options, looseShape({ kind: z.literal('unknown'), why })]),
);
