/**
 * A run as a page of GitHub's Markdown, made for the summary of a workflow's step, which holds 1
 * MiB.
 */
import { describeReference } from './describe-reference.js';
import { shown } from '../harness/base/text/visible.js';
import { worstVerdict, type VerdictKind } from '../harness/domain/verdict.js';
import type { RunReport, ScenarioReport } from '../harness/run/records/run-report.js';
import type { VectorReport } from '../harness/run/judging/vector-report.js';
import {
  aspectName,
  causesOf,
  comparedAspects,
  describeDifference,
  describeInconclusive,
  describeIsolation,
  describeKnown,
  describeOnKernel,
  describePromises,
  describeUntestedServices,
  findingsOf,
  groupsOf,
  scenarioLabel,
  type Finding,
} from './describe-differences.js';

/** How many findings of a scenario are printed in full before the rest is only counted. */
const maxFindings = 10;
/** How many vectors of a finding are named before the rest is only counted. */
const named = 5;

const marks: Readonly<Record<VerdictKind, string>> = {
  conforms: '✅',
  diverges: '❌',
  inconclusive: '❔',
  'known-divergence': '❗',
};

export function renderMarkdown(raw: RunReport): string {
  const report = shown(raw);
  const versions = Object.entries(report.versions)
    .map(([program, version]) => `${program} ${version}`)
    .join(', ');
  return [
    `# ${marks[report.verdict]} Flowbed: ${headline(report)}`,
    '',
    ...table(
      ['', ''],
      [
        ['run again', code(report.again)],
        ['seed', String(report.seed)],
        [
          'switches',
          text(`${report.backend}, image ${report.image}${versions === '' ? '' : `: ${versions}`}`),
        ],
        ...(report.reference === undefined
          ? []
          : [['compared with', text(describeReference(report.reference))]]),
        ...(report.isolation === undefined
          ? []
          : [['network', text(describeIsolation(report.isolation))]]),
        ['trace', code(report.traceHash)],
      ],
    ),
    ...report.scenarios.flatMap(renderScenario),
    '',
  ].join('\n');
}

function headline({ verdict, scenarios }: RunReport): string {
  const vectors = scenarios.flatMap((scenario) => scenario.vectors);
  const of = (kind: VerdictKind) => vectors.filter((vector) => vector.verdict === kind).length;
  const parts = [
    [of('conforms'), 'conform'],
    [of('diverges'), 'diverge'],
    [of('inconclusive'), 'inconclusive'],
  ]
    .filter(([count]) => count !== 0)
    .map(([count, words]) => `${count} ${words}`);
  return (
    `${verdict} (${vectors.length} ` +
    `vectors${parts.length === 0 ? '' : `: ${parts.join(', ')}`})`
  );
}

function renderScenario(scenario: ScenarioReport): readonly string[] {
  const findings = [
    ...scenario.program.map((difference): Finding => ({ difference, ids: ['program'] })),
    ...findingsOf(scenario),
  ];
  return [
    '',
    `## ${marks[scenario.verdict]} ${text(scenarioLabel(scenario))}`,
    '',
    text(scenario.title),
    '',
    ...table(
      ['', 'vectors', 'conform', 'diverge', 'inconclusive', 'promise'],
      groupsOf(scenario.vectors).map(groupRow),
      'll---l',
    ),
    ...(findings.length === 0
      ? []
      : [
          '',
          '### Findings',
          ...findings
            .slice(0, maxFindings)
            .flatMap(({ ids, difference, onKernel }) => [
              '',
              namesOf(ids, scenario),
              '',
              ...fenced([
                ...describeDifference(difference),
                ...(onKernel === undefined ? [] : [describeOnKernel(onKernel)]),
              ]),
            ]),
        ]),
    ...(findings.length > maxFindings
      ? ['', `… and ${findings.length - maxFindings} more findings; report.html has them all.`]
      : []),
    ...renderCauses(scenario),
    ...renderKnown(scenario),
    ...renderUntestedServices(scenario),
    '',
    '### What was compared',
    '',
    ...table(
      ['', 'expected', 'made', 'skipped'],
      comparedAspects(scenario.counts).map(({ aspect, expected, made, skipped }) => [
        `${made + skipped === expected ? '' : '❔ '}${aspectName(aspect)}`,
        String(expected),
        String(made),
        String(skipped),
      ]),
      'l---',
    ),
    '',
    '### What was not compared',
    '',
    ...scenario.notCompared.map(({ what, why }) => `- ${text(what)}: ${text(why)}`),
  ];
}

function groupRow([name, vectors]: readonly [string, readonly VectorReport[]]): readonly string[] {
  const of = (kind: VerdictKind) =>
    String(vectors.filter(({ verdict }) => verdict === kind).length);
  return [
    marks[worstVerdict(vectors.map(({ verdict }) => verdict))],
    code(name),
    of('conforms'),
    of('diverges'),
    of('inconclusive'),
    describePromises(vectors),
  ];
}

/** Known divergences that occurred. */
function renderKnown(scenario: ScenarioReport): readonly string[] {
  const known = describeKnown(scenario);
  return known.length === 0
    ? []
    : ['', '### Known divergences', '', ...known.map((line) => `- ${text(line)}`)];
}

/** Services that nobody was asked for. */
function renderUntestedServices(scenario: ScenarioReport): readonly string[] {
  const unasked = describeUntestedServices(scenario);
  return unasked.length === 0
    ? []
    : ['', '### Services that were not asked', '', ...unasked.map((line) => `- ${text(line)}`)];
}

/** Each cause once, with what it cost. */
function renderCauses(scenario: ScenarioReport): readonly string[] {
  const causes = causesOf(scenario);
  if (causes.length === 0) return [];
  return [
    '',
    '### Inconclusive',
    ...causes.flatMap(({ inconclusive, ids }) => [
      '',
      namesOf(ids, scenario),
      '',
      ...fenced(describeInconclusive(inconclusive)),
    ]),
  ];
}

/** The vectors that one thing cost; none where it cost the whole scenario. */
function namesOf(ids: readonly string[], { name }: ScenarioReport): string {
  const more = ids.length - named;
  return ids.length === 0
    ? `**${text(name)}**`
    : `**${ids.slice(0, named).map(code).join(', ')}**${more > 0 ? ` and ${more} more` : ''}`;
}

/** @param alignment a letter a column: `l` to the left, `-` (numbers) to the right. */
function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  alignment = '',
): readonly string[] {
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    row(head),
    row(head.map((_, column) => (alignment[column] === '-' ? '---:' : '---'))),
    ...rows.map(row),
  ];
}

/**
 * What is said as it is: nothing of it is markup, ends a table's cell, begins a list or becomes a
 * link.
 */
function text(words: string): string {
  return words
    .replace(/[\\`*_{}[\]<>~#&]/g, '\\$&')
    .replaceAll('|', '&#124;')
    .replace(/:(?=\/\/)|(?<=\bwww)\./gi, '\\$&')
    .replace(/^(\s*)([-+=])/, '$1\\$2')
    .replace(/^(\s*\d+)([.)])/, '$1\\$2');
}

/**
 * Between more backquotes than it holds in a row. A table's cell ends at a bar, and between
 * backquotes nothing can be said of one behind a backslash (GFM, 4.10): then it is said in markup.
 */
function code(words: string): string {
  if (words.includes('|')) return `<code>${text(words)}</code>`;
  const quotes = fence(words, 1);
  return `${quotes}${words.startsWith('`') || words.endsWith('`') ? ` ${words} ` : words}${quotes}`;
}

function fenced(lines: readonly string[]): readonly string[] {
  const quotes = fence(lines.join('\n'), 3);
  return [`${quotes}text`, ...lines, quotes];
}

function fence(words: string, atLeast: number): string {
  return '`'.repeat(
    Math.max(atLeast, ...[...words.matchAll(/`+/g)].map(([run]) => run.length + 1)),
  );
}
