/** The path of a vector: hops, lookups, and the frames that cross ports. */
import type { CrossingData, HopData, LookupData, VectorData } from '../page-data.js';
import { type Child, element } from './elements.js';
import { type Scene, textAt } from './scene.js';

function hopHead(...words: readonly Child[]): HTMLElement {
  return element('tr', { class: 'hop' }, element('th', { scope: 'rowgroup', colspan: 4 }, words));
}

function firstMark(): HTMLElement {
  return element('strong', { class: 'first-mark' }, '✕ first difference');
}

function count(packets: number): HTMLElement {
  return element('td', { class: 'count' }, packets === -1 ? '?' : String(packets));
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

function drawHop(
  scene: Scene,
  { frames, counted, divergence, differences }: VectorData,
  hop: HopData,
  index: number,
): HTMLElement {
  const text = (at: number): string => textAt(scene.texts, at);
  const here = divergence?.hop === index ? divergence : undefined;
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

export function drawPath(scene: Scene, vector: VectorData): HTMLElement {
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
