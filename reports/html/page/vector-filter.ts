/** The filter above the matrix and list of vectors. */
import type { VectorData } from '../page-data.js';
import { element } from './elements.js';
import { type Scene, textAt, verdictWords, verdictMarks } from './scene.js';

/** Controls of the page that narrow the vectors shown. */
export interface VectorFilter {
  readonly controls: readonly { readonly label: string; readonly control: HTMLElement }[];
  readonly matches: (vector: VectorData) => boolean;
}

export function option(value: string, words: string): HTMLElement {
  return element('option', { value }, words);
}

/** `words`, with the number of vectors that match. */
export function counted(
  words: string,
  vectors: readonly VectorData[],
  matching: (vector: VectorData) => boolean,
): string {
  return `${words} (${vectors.filter(matching).length})`;
}

export function createKindControl(
  vectors: readonly VectorData[],
  texts: Scene['texts'],
  key: string,
): HTMLSelectElement {
  const groups = [...new Set(vectors.map(({ group }) => group))];
  return element(
    'select',
    { id: `kind-${key}` },
    option(
      '',
      counted('all kinds', vectors, () => true),
    ),
    groups.map((group) =>
      option(
        String(group),
        counted(textAt(texts, group), vectors, (vector) => vector.group === group),
      ),
    ),
  );
}

export function createVerdictControl(
  vectors: readonly VectorData[],
  key: string,
): HTMLSelectElement {
  const verdicts = (['diverges', 'inconclusive', 'known-divergence', 'conforms'] as const).filter(
    (verdict) => vectors.some((vector) => vector.verdict === verdict),
  );
  return element(
    'select',
    { id: `verdict-${key}` },
    option('', 'all verdicts'),
    verdicts.map((each) =>
      option(
        each,
        counted(
          `${verdictMarks[each]} ${verdictWords[each]}`,
          vectors,
          (vector) => vector.verdict === each,
        ),
      ),
    ),
  );
}

export function createFilter({ data: { vectors }, texts }: Scene, key: string): VectorFilter {
  const kind = createKindControl(vectors, texts, key);
  const verdict = createVerdictControl(vectors, key);
  const promise = element(
    'select',
    { id: `promise-${key}` },
    option('', 'all promises'),
    [...new Set(vectors.map(({ levels }) => levels.promise))].map((each) =>
      option(
        each,
        counted(each, vectors, ({ levels }) => levels.promise === each),
      ),
    ),
  );
  const words = element('input', {
    id: `words-${key}`,
    type: 'search',
    placeholder: 'p1/p4',
    autocomplete: 'off',
    spellcheck: 'false',
  });
  return {
    controls: [
      { label: 'Kind', control: kind },
      { label: 'Verdict', control: verdict },
      { label: 'Promise', control: promise },
      { label: 'Name', control: words },
    ],
    matches: (vector) => {
      const wanted = words.value.trim().toLowerCase();
      return (
        (kind.value === '' || String(vector.group) === kind.value) &&
        (verdict.value === '' || vector.verdict === verdict.value) &&
        (promise.value === '' || vector.levels.promise === promise.value) &&
        (wanted === '' ||
          `${vector.id} ${textAt(texts, vector.stimulus)}`.toLowerCase().includes(wanted))
      );
    },
  };
}
