/**
 * One vector: its verdict at three levels and its path, the model beside the switch, with the first
 * difference marked.
 */
import type { CrossingData, HopData, LookupData, NoteData, VectorData } from '../page-data.js';
import { element, mark, type Child } from './elements.js';
import { levelMark, textAt, verdictMarks, verdictWords, type Scene } from './scene.js';

export function drawVector(scene: Scene, vector: VectorData): readonly Child[] {
  const text = (index: number): string => textAt(scene.texts, index);
  return [
    element(
      'p',
      { class: `verdict ${vector.verdict}` },
      mark(verdictMarks[vector.verdict]),
      ` ${verdictWords[vector.verdict]}`,
    ),
    element('h2', { id: 'vector-title' }, vector.id),
    element('p', { class: 'lead' }, text(vector.stimulus)),
    drawLevels(scene, vector),
    vector.inconclusive === undefined
      ? undefined
      : element(
          'div',
          { class: 'finding open' },
          element('h3', {}, mark('?'), ` No verdict: ${vector.inconclusive.cause}`),
          vector.inconclusive.evidence.length === 0
            ? undefined
            : element('pre', {}, vector.inconclusive.evidence.join('\n')),
          element(
            'ul',
            {},
            vector.inconclusive.remedies.map((remedy) => element('li', {}, remedy)),
          ),
        ),
    drawDifferences(scene, vector),
    element(
      'div',
      { class: 'titled' },
      element('h3', {}, 'The path'),
      vector.divergence === undefined || vector.cut
        ? undefined
        : element(
            'button',
            { type: 'button', click: goToFirstDifference },
            'Go to the first difference',
          ),
    ),
    vector.predictionError === undefined
      ? undefined
      : element(
          'p',
          { class: 'attention' },
          `The model could not be asked: ${vector.predictionError}`,
        ),
    vector.cut
      ? element(
          'p',
          {},
          'The page would be too large with the paths of all conforming vectors: ',
          element('code', {}, 'flowbed explain'),
          ' has it.',
        )
      : [
          element(
            'p',
            { class: 'caption' },
            vector.isTogether
              ? playedTogether
              : 'At a table: packets of its flow in the whole vector. At a port: whether the ' +
                  'frame was there.',
          ),
          drawPath(scene, vector),
        ],
    drawNotes(scene, 'What the hosts noted', 'Note', vector.notes),
    drawNotes(scene, 'State of the switches', 'Entry', vector.finalState),
    element('h3', {}, 'What was compared'),
    element(
      'p',
      {},
      vector.counts
        .map(([aspect, expected, made]) =>
          made === expected ? `${made} ${text(aspect)}` : `${made} of ${expected} ${text(aspect)}`,
        )
        .join(' · '),
    ),
  ];
}

const playedTogether =
  'Ran in a batch: every frame that came out of the switches was the model’s, ' +
  'byte by byte. Shown is its own path through the model; ? marks what switches did for ' +
  'the batch as a whole: neighbour discovery, and counters.';

function goToFirstDifference(): void {
  const row = document.querySelector<HTMLElement>('tr.first-difference');
  row?.scrollIntoView({ block: 'center' });
  row?.focus({ preventScroll: true });
}

function drawLevels(scene: Scene, { levels, promise, was, differences }: VectorData): HTMLElement {
  const said = (between: string): string =>
    differences
      .filter((difference) => difference.between === between)
      .map(({ actual }) => textAt(scene.texts, actual))[0] ?? '';
  const level = (name: string, state: string, words: string): HTMLElement =>
    element(
      'div',
      { class: `level ${state === 'broken' || state === 'diverge' ? 'attention' : ''}` },
      element('dt', {}, name),
      element(
        'dd',
        {},
        element('strong', {}, `${levelMark(state)} ${state}`),
        words === '' ? undefined : element('span', {}, words),
      ),
    );
  return element(
    'dl',
    { class: 'levels' },
    element(
      'div',
      { class: 'level' },
      element('dt', {}, 'Promise'),
      element(
        'dd',
        {},
        element('strong', {}, levels.promise),
        element('span', {}, textAt(scene.texts, promise)),
        was === undefined
          ? undefined
          : element('span', { class: 'before' }, `Before: ${textAt(scene.texts, was)}`),
      ),
    ),
    level('Model', levels.model, said('intent and model')),
    level('Switch', levels.switch, said('intent and switch')),
    level('Model and switch', levels.modelAndSwitch, ''),
  );
}

function drawDifferences(scene: Scene, { differences }: VectorData): Child {
  const text = (index: number): string => textAt(scene.texts, index);
  const [first, ...others] = differences;
  if (first === undefined) return undefined;
  return [
    element(
      'div',
      { class: 'finding' },
      element('h3', {}, mark('✕'), ` ${capital(first.between)} part: ${text(first.summary)}`),
      element(
        'dl',
        { class: 'pair' },
        element('dt', {}, 'expected'),
        element('dd', {}, element('code', {}, text(first.expected))),
        element('dt', {}, 'actual'),
        element('dd', {}, element('code', {}, text(first.actual))),
        first.at === undefined
          ? undefined
          : [
              element('dt', {}, 'first at'),
              element(
                'dd',
                {},
                `${first.at.place}: `,
                element('code', {}, first.at.flow),
                element('br', {}),
                `${first.at.because}.`,
              ),
            ],
      ),
    ),
    others.length === 0
      ? undefined
      : element(
          'details',
          {},
          element('summary', {}, `${others.length} more that follow from it`),
          element(
            'ul',
            { class: 'following' },
            others.map(({ between, summary }) => element('li', {}, `${between}: ${text(summary)}`)),
          ),
        ),
  ];
}

function drawPath(scene: Scene, vector: VectorData): HTMLElement {
  const heads = [
    ['Where', ''],
    ['What', ''],
    ['Model', 'packets of the flow in the whole vector'],
    ['Switch', 'n_packets of the flow after the vector'],
  ].map(([words, title]) =>
    element('th', { scope: 'col', title: title === '' ? undefined : title }, words),
  );
  const onPath = new Set(
    vector.hops.flatMap(({ path }) => (scene.data.paths[path] ?? []).map(([, , flow]) => flow)),
  );
  const beside = vector.counted.filter(
    ([flow, model, real]) => !onPath.has(flow) && model !== real && real !== -1,
  );
  return element(
    'div',
    { class: 'scroll' },
    element(
      'table',
      { class: 'path' },
      element('thead', {}, element('tr', {}, heads)),
      vector.hops.map((hop, index) => drawHop(scene, vector, hop, index)),
      beside.length === 0
        ? undefined
        : element(
            'tbody',
            {},
            hopHead('Off the model’s path'),
            beside.map(([flow, model, real]) => {
              const at = scene.data.flows[flow];
              return element(
                'tr',
                { class: 'differs' },
                element('td', {}, `${at?.node} ${at?.bridge} table ${at?.table}`),
                element('td', {}, element('code', {}, at?.text ?? '')),
                count(model),
                count(real),
              );
            }),
          ),
    ),
  );
}

function hopHead(...words: readonly Child[]): HTMLElement {
  return element('tr', { class: 'hop' }, element('th', { scope: 'rowgroup', colspan: 4 }, words));
}

function drawHop(
  scene: Scene,
  { frames, counted, divergence: parting, differences }: VectorData,
  hop: HopData,
  index: number,
): HTMLElement {
  const text = (at: number): string => textAt(scene.texts, at);
  const here = parting?.hop === index ? parting : undefined;
  const counts = new Map(counted.map(([flow, model, real]) => [flow, [model, real] as const]));
  const lookups = scene.data.paths[hop.path] ?? [];
  return element(
    'tbody',
    {},
    hopHead(
      element('span', { class: 'time' }, `${hop.timeUs} µs`),
      ` ${text(hop.node)}, `,
      hop.entered === undefined ? 'out of nothing that went in' : `into ${text(hop.port)}`,
    ),
    hop.entered === undefined
      ? undefined
      : drawCrossing(frames, '→ in', hop.entered, here?.kind === 'entered'),
    lookups.map((lookup, nth) =>
      drawLookup(
        scene,
        lookup,
        lookups[nth - 1],
        counts.get(lookup[2]),
        here?.kind === 'lookup' && here.index === nth
          ? (differences[0]?.at?.because ?? '')
          : undefined,
      ),
    ),
    hop.left.map(([port, crossing], nth) =>
      drawCrossing(
        frames,
        `← out of ${text(port)}`,
        crossing,
        here?.kind === 'left' && here.index === nth,
      ),
    ),
  );
}

/** @param because why the two sides diverge here, where they do first. */
function drawLookup(
  scene: Scene,
  [bridge, table, flow, writes, outcome]: LookupData,
  before: LookupData | undefined,
  counts: readonly [number, number] | undefined,
  because: string | undefined,
): HTMLElement {
  const isFirst = because !== undefined;
  const text = (at: number): string => textAt(scene.texts, at);
  const [model, real] = counts ?? [0, 0];
  const effects = [text(writes) === '' ? '' : `writes ${text(writes)}`, text(outcome)]
    .filter((words) => words !== '')
    .join('; ');
  return element(
    'tr',
    {
      tabindex: isFirst ? -1 : undefined,
      class: `lookup${isFirst ? ' first-difference' : ''}${real !== -1 && model !== real ? ' differs' : ''}`,
    },
    element(
      'td',
      {},
      before?.[0] === bridge ? '' : `${text(bridge)} `,
      element('span', { class: 'table' }, `table ${table}`),
    ),
    element(
      'td',
      {},
      isFirst ? firstMark() : undefined,
      element('code', {}, flow === -1 ? 'no flow matches' : (scene.data.flows[flow]?.text ?? '')),
      effects === '' ? undefined : element('span', { class: 'effects' }, effects),
      because === undefined ? undefined : element('span', { class: 'because' }, because),
    ),
    ...(flow === -1 ? [element('td', {}), element('td', {})] : [count(model), count(real)]),
  );
}

function drawCrossing(
  frames: VectorData['frames'],
  where: string,
  [frame, seen, fields]: CrossingData,
  isFirst: boolean,
): HTMLElement {
  const has = (side: 'model' | 'switch'): string =>
    seen === 'by both' || seen === `by the ${side} only`
      ? '✓'
      : seen === 'differently'
        ? side === 'model'
          ? '✓'
          : '≠'
        : seen === 'not observed'
          ? side === 'model'
            ? '✓'
            : '?'
          : '✕ none';
  const same = seen === 'by both' || seen === 'not observed';
  return element(
    'tr',
    {
      tabindex: isFirst ? -1 : undefined,
      class: `frame${isFirst ? ' first-difference' : ''}${same ? '' : ' differs'}`,
    },
    element('td', {}, where),
    element(
      'td',
      {},
      isFirst ? firstMark() : undefined,
      element('span', { class: 'bytes' }, frames[frame] ?? ''),
      fields.length === 0
        ? undefined
        : element(
            'span',
            { class: 'effects' },
            fields
              .map(([name, expected, actual]) => `${name}: model ${expected}, switch ${actual}`)
              .join('; '),
          ),
    ),
    element('td', { class: 'count' }, has('model')),
    element('td', { class: 'count' }, has('switch')),
  );
}

function firstMark(): HTMLElement {
  return element('strong', { class: 'first-mark' }, '✕ first difference');
}

function count(packets: number): HTMLElement {
  return element('td', { class: 'count' }, packets === -1 ? '?' : String(packets));
}

function drawNotes(scene: Scene, title: string, column: string, notes: readonly NoteData[]): Child {
  if (notes.length === 0) return undefined;
  const tick = (has: boolean, asked = true): HTMLElement =>
    element('td', { class: 'count' }, has ? '✓' : asked ? '✕ none' : '?');
  return [
    element('h3', {}, title),
    element(
      'div',
      { class: 'scroll' },
      element(
        'table',
        { class: 'path' },
        element(
          'thead',
          {},
          element(
            'tr',
            {},
            [column, 'Model', 'Switch'].map((words) => element('th', { scope: 'col' }, words)),
          ),
        ),
        element(
          'tbody',
          {},
          notes.map(([note, seen]) =>
            element(
              'tr',
              {
                class: seen === 'by both' || seen === 'not observed' ? '' : 'differs',
              },
              element('td', { class: 'words' }, textAt(scene.texts, note)),
              tick(seen !== 'by the switch only'),
              tick(seen === 'by both' || seen === 'by the switch only', seen !== 'not observed'),
            ),
          ),
        ),
      ),
    ),
  ];
}

function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
