/** What `flowbed history` and the end of a night print: what changed, and whether it may. */
import { colors } from '../harness/base/text/colors.js';
import { shown } from '../harness/base/text/visible.js';
import type { Change } from '../harness/history/changes.js';
import type { MeasureChange } from '../harness/history/measure-changes.js';

const { bold, dim, green, red, yellow } = colors;

export interface ChangesView {
  /** Names of what is compared: nights, or versions. */
  readonly before: string;
  readonly now: string;
  readonly changes: readonly Change[];
  /** Those that somebody has acknowledged, with the reason. */
  readonly acknowledged?: readonly { readonly change: Change; readonly reason: string }[];
  /** Acknowledgements that are about none of them. */
  readonly unmatched?: readonly string[];
  readonly measures?: readonly MeasureChange[];
}

export function renderChanges(view: ChangesView): string {
  const { before, now, changes, acknowledged = [], unmatched = [], measures = [] } = shown(view);
  const known = [
    ...acknowledged.map(({ change, reason }) =>
      dim(`  – ${change.point}: ${change.kind}: ${change.what}: ${reason}`),
    ),
    ...unmatched.map((entry) => yellow(`  ? acknowledged, and nothing like it changed: ${entry}`)),
  ];
  const rates = measures.flatMap(renderMeasure);
  const head = `since ${before}, in ${now}: `;
  if (changes.length + rates.length === 0)
    return [`${head}${green('nothing changed')}`, ...known].join('\n');
  const total = changes.length + measures.length;
  const count = `${total} ${total === 1 ? 'change' : 'changes'}`;
  return [`${head}${count}`, ...changes.flatMap(renderChange), ...rates, ...known].join('\n');
}

function renderMeasure({
  name,
  unit,
  median,
  ratio,
  nights,
  explainedBy,
}: MeasureChange): readonly string[] {
  return [
    `  ${yellow('~')} ${bold('throughput')}  ${name}`,
    `      ${Number(median.toPrecision(4))} ${unit}: ${ratio.toFixed(2)} times that of ` +
      `the nights before, of ${nights} nights`,
    dim(`      changed as well: ${explainedBy.join(', ') || 'nothing that is known'}`),
  ];
}

function renderChange({
  kind,
  point,
  what,
  vectors,
  explainedBy,
  finding,
  folders,
}: Change): readonly string[] {
  const isFlip = explainedBy.length === 0;
  const mark = isFlip ? red('!') : kind === 'verdict' ? red('✖') : yellow('~');
  const [first] = vectors;
  const which =
    first === undefined
      ? ''
      : `  ${first}${vectors.length > 1 ? ` and ${vectors.length - 1} more` : ''}`;
  return [
    `  ${mark} ${bold(kind)}  ${point}${which}`,
    `      ${what}`,
    ...(finding === '' ? [] : [`      ${finding}`]),
    isFlip
      ? red('      no input changed: the testbed is not deterministic here')
      : dim(`      changed as well: ${explainedBy.join(', ')}`),
    dim(`      run folders ${folders.map((folder) => folder || 'none').join(' and ')}`),
  ];
}
