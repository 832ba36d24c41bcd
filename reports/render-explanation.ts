/**
 * One vector for `flowbed explain`: model and switch side by side, node by node, table by table, to
 * the first difference.
 */
import { placeText, reasonLines } from '../harness/domain/location.js';
import { colors } from '../harness/base/text/colors.js';
import { shown } from '../harness/base/text/visible.js';
import { describeOnKernel, headlineOf } from './describe-differences.js';
import { nextPlace, type LogicalPlace } from '../harness/domain/logical-place.js';
import type { CountedFlow } from '../harness/explain/counted-flow.js';
import { formatFlowId } from '../harness/domain/switching.js';
import { flowKey } from '../harness/compare/compare-counters.js';
import type { Crossing, Hop, Lookup } from '../harness/explain/hops.js';
import type { VectorView } from '../harness/explain/vector-view.js';

const { bold, dim, green, red, yellow } = colors;

const compiledFrom = 'OVN compiled it from: ';

/** What the columns of counters are called: packets of the flow during the whole vector. */
const columns = `${'model'.padStart(7)} ${'switch'.padStart(7)}`;

/**
 * The vector's promise and verdict, every hop up to the first difference, what is said of it, and
 * what the hosts noted.
 */
export function renderExplanation(raw: VectorView): string {
  const view = shown(raw);
  const { report, divergence } = view;
  const hops = divergence === undefined ? view.hops : view.hops.slice(0, divergence.hop + 1);
  const left = view.hops.length - hops.length;
  return [
    `${bold(report.id)}  ${view.stimulus}`,
    `promised  ${view.promise}`,
    `verdict   ${verdict(view)}`,
    ...(view.passes.length < 2
      ? []
      : [
          'played    ' +
            `${view.passes.join(', ')}${report.sibling === undefined ? '' : ` (${report.sibling.differs})`}; ` +
            'counters are of all passes',
        ]),
    ...(view.past === undefined
      ? []
      : [
          `timeline  ${['it began', ...view.past].join(', ')}; counters go on from one vector ` +
            'to the next',
        ]),
    ...(view.played === 'alone'
      ? []
      : [
          'played    in a batch: every frame that came out of the switches was the ' +
            "model's, byte by byte. Below is its own path through the model; dim is what " +
            'switches did for the whole batch before',
        ]),
    ...(view.predictionError === undefined
      ? []
      : [yellow(`the model cannot predict: ${view.predictionError}`)]),
    ...hops.flatMap((hop, index) => ['', ...renderHop(hop, index, view)]),
    ...(left > 0
      ? ['', dim(`${left} more hops come after the first difference and may only follow from it`)]
      : []),
    ...renderDifferences(view),
    '',
    'hosts noted',
    ...view.notes.map(({ text, seen }) =>
      seen === 'by both'
        ? `  ${text}`
        : seen === 'not observed' && view.played === 'together'
          ? dim(`  ${text}`)
          : red(`≠ ${text} (${seen})`),
    ),
  ].join('\n');
}

function verdict({ report, levels }: VectorView): string {
  const paint = {
    conforms: green,
    diverges: red,
    inconclusive: yellow,
    'known-divergence': yellow,
  }[report.verdict];
  return (
    `${paint(report.verdict)}: ${levels.promise}, model ${levels.model}, switch ` +
    `${levels.switch}, model and switch ${levels.modelAndSwitch}`
  );
}

function renderHop(
  hop: Hop,
  index: number,
  { divergence, flows, played }: VectorView,
): readonly string[] {
  const counts = new Map(flows.map((flow) => [flowKey(flow.flow), flow]));
  const here = divergence?.hop === index ? divergence : undefined;
  const end = here?.kind === 'lookup' ? here.index + 1 : hop.lookups.length;
  return [
    `${bold(`${index + 1}. ${hop.node}`)} at ${hop.timeUs} µs`,
    ...(hop.entered === undefined ? [] : [renderCrossing(`into ${hop.port}`, hop.entered, played)]),
    ...(here?.kind === 'entered' || hop.lookups.length === 0 ? [] : [dim(`  ${columns}`)]),
    ...(here?.kind === 'entered'
      ? []
      : withPlaces(hop.lookups.slice(0, end)).flatMap(({ title, lookup }, position) => [
          ...(title === undefined ? [] : [bold(`${' '.repeat(18)}${title}`)]),
          ...renderLookup(lookup, counts, here?.kind === 'lookup' && here.index === position),
        ])),
    ...hop.left.map((crossing) => renderCrossing(`out of ${crossing.port}`, crossing, played)),
  ];
}

/** Each with the logical datapath and pipeline that the packet comes into there. */
function withPlaces(
  lookups: readonly Lookup[],
): readonly { readonly lookup: Lookup; readonly title?: string }[] {
  let place: LogicalPlace | undefined;
  return lookups.map((lookup) => {
    const next = nextPlace(place, lookup.source ?? '');
    place = next.place;
    return { lookup, ...(next.title === undefined ? {} : { title: next.title }) };
  });
}

function renderLookup(
  lookup: Lookup,
  counts: ReadonlyMap<string, CountedFlow>,
  isFirstDifference: boolean,
): readonly string[] {
  const count = lookup.flow === undefined ? undefined : counts.get(flowKey(lookup.flow));
  const numbers =
    `${String(count?.model ?? 0).padStart(7)} ` +
    String(count?.switch ?? (count === undefined ? '' : '?')).padStart(7);
  const flow =
    lookup.flow === undefined
      ? `table=${lookup.table}, no flow matches`
      : formatFlowId(lookup.flow);
  const did = [
    ...(count?.among === undefined
      ? []
      : [`packets of ${count.among} flows of this priority that do the same: any may be taken`]),
    ...(lookup.source === undefined ? [] : [`${compiledFrom}${lookup.source}`]),
    ...(lookup.writes.length > 0 ? [`writes ${lookup.writes.join(', ')}`] : []),
    ...lookup.outputs.map(
      ({ port, by }) => `output to ${port}${by === undefined ? '' : ` (by ${by})`}`,
    ),
    ...(lookup.drop === undefined ? [] : [`drop: ${lookup.drop}`]),
  ];
  const line = `${numbers}  ${lookup.bridge} ${flow}`;
  return [
    isFirstDifference ? red(`≠ ${line}`) : `  ${line}`,
    ...did.map((text) => dim(`${' '.repeat(20)}${text}`)),
  ];
}

function renderCrossing(
  place: string,
  { frame, seen, fields }: Crossing,
  played: VectorView['played'],
): string {
  if (seen === 'by both') return `  ${place}: ${frame}`;
  if (seen === 'not observed' && played === 'together') return dim(`  ${place}: ${frame}`);
  const differing = fields
    .map(({ name, expected, actual }) => `\n      ${name}: model ${expected}, switch ${actual}`)
    .join('');
  return (seen === 'not observed' ? yellow : red)(`≠ ${place}: ${frame} (${seen})${differing}`);
}

function renderDifferences({ report }: VectorView): readonly string[] {
  const first = report.differences.find(({ afterDivergence }) => !afterDivergence);
  if (report.inconclusive !== undefined)
    return [
      '',
      yellow(`inconclusive: ${report.inconclusive.cause}`),
      ...report.inconclusive.evidence.map((line) => `  ${line}`),
    ];
  if (first === undefined) return [];
  return [
    '',
    red(headlineOf(first)),
    `  expected  ${first.expected}`,
    `  actual    ${first.actual}`,
    ...(first.at === undefined
      ? []
      : [
          `  first at  ${placeText(first.at)}`,
          ...reasonLines(first.at).map((line) => `            ${line}`),
        ]),
    ...(report.onKernel === undefined ? [] : [`  kernel    ${describeOnKernel(report.onKernel)}`]),
  ];
}
