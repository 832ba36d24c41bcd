/** A run as people read it in a terminal and in the log of a CI job. */
import {
  fieldOf,
  flowText,
  reasonLines,
  switchText,
  tableOf,
  type Location,
} from '../harness/domain/location.js';
import { renderWork } from './render-work.js';
import { describeStreams } from './describe-streams.js';
import { describeReference } from './describe-reference.js';
import { colors } from '../harness/base/text/colors.js';
import { shown } from '../harness/base/text/visible.js';
import type { RunReport, ScenarioReport } from '../harness/run/records/run-report.js';
import type { VectorReport, Inconclusive } from '../harness/run/judging/vector-report.js';
import {
  aspectName,
  describeIsolation,
  describeKnown,
  describeOnKernel,
  describePromises,
  describeUntestedServices,
  findingsOf,
  groupsOf,
  headlineOf,
  type Finding,
} from './describe-differences.js';
import { aspects, worstVerdict, type Aspect } from '../harness/domain/verdict.js';

const { bold, dim, green, red, yellow } = colors;

/** How many findings are printed in full before the rest is only counted. */
const maxFindings = 5;

const symbols = { conforms: green('✔'), diverges: red('✖'), inconclusive: yellow('?') } as const;
const colours = { conforms: green, diverges: red, inconclusive: yellow } as const;

/**
 * The whole report, without a final newline; what names and words of it are made of steers no
 * terminal.
 */
export function renderTerminal(raw: RunReport): string {
  const report = shown(raw);
  const versions = Object.entries(report.versions)
    .map(([program, version]) => `${program} ${version}`)
    .join(', ');
  return [
    ...report.scenarios.flatMap((scenario) => [...renderScenario(scenario), '']),
    `  image     ${report.image}${versions === '' ? '' : ` (${versions})`}`,
    ...(report.reference === undefined
      ? []
      : [`  compared  with ${describeReference(report.reference)}, in place of the model`]),
    ...(report.isolation?.network === 'shared with the host'
      ? [`  network   ${describeIsolation(report.isolation)}`]
      : []),
    `  trace     ${report.traceHash}`,
    `  verdict   ${bold(colours[report.verdict](report.verdict))}`,
  ].join('\n');
}

function renderScenario(scenario: ScenarioReport): readonly string[] {
  const axes = Object.entries(scenario.axes).map(([axis, value]) => `${axis}=${value}`);
  const findings = [
    ...scenario.program.map((difference) => ({ difference, ids: ['program'] })),
    ...findingsOf(scenario),
  ];
  return [
    `${[bold(scenario.name), ...axes].join(' ')}  ${dim(scenario.title)}`,
    ...renderGroups(groupsOf(scenario.vectors)),
    ...findings.slice(0, maxFindings).flatMap((finding) => ['', ...renderFinding(finding)]),
    ...(findings.length > maxFindings
      ? ['', `  … and ${findings.length - maxFindings} more findings`]
      : []),
    ...renderInconclusive(scenario),
    '',
    ...renderWork(scenario.vectors),
    ...renderPolicies(scenario),
    ...renderServices(scenario),
    ...describeStreams(scenario).map((line) => `  stream    ${line}`),
    ...describeKnown(scenario).map((line) => `  known     ${line}`),
    ...(scenario.adaptations ?? []).map((line) => `  adjusted  ${line}`),
    `  compared  ${countedAspects(scenario)
      .map((aspect) => renderCount(aspect, scenario))
      .join(' · ')}`,
    `  left out  ${scenario.notCompared.map(({ what }) => what).join(' · ')}`,
    `  time      ${(scenario.durationMs / 1000).toFixed(1)} s`,
  ];
}

type Group = readonly [name: string, vectors: readonly VectorReport[]];

/** One line a group, in columns as wide as what stands in them. */
function renderGroups(all: readonly Group[]): readonly string[] {
  const nameWidth = Math.max(...all.map(([name]) => name.length));
  const countWidth = Math.max(...all.map(([, vectors]) => String(vectors.length).length));
  return all.map(([name, vectors]) => {
    const of = (verdict: VectorReport['verdict']) =>
      vectors.filter((vector) => vector.verdict === verdict).length;
    const others = [
      of('diverges') > 0 ? red(`${of('diverges')} diverge`) : '',
      of('inconclusive') > 0 ? yellow(`${of('inconclusive')} inconclusive`) : '',
      of('known-divergence') > 0 ? yellow(`${of('known-divergence')} known divergence`) : '',
    ].filter((text) => text !== '');
    const conforming =
      `${String(of('conforms')).padStart(countWidth)} of ` +
      `${String(vectors.length).padStart(countWidth)} conform`;
    return (
      `  ${symbols[worstVerdict(vectors.map(({ verdict }) => verdict))]} ` +
      `${name.padEnd(nameWidth)}  ` +
      `${[conforming, ...others].join(', ')}  ${dim(describePromises(vectors))}`
    );
  });
}

/** `services  2 of 14 are not asked: default/a:http (no vector sends to it), …`. */
function renderServices(scenario: ScenarioReport): readonly string[] {
  const untested = describeUntestedServices(scenario);
  return untested.length === 0
    ? []
    : [
        `  services  ${untested.length} of ${scenario.services?.count ?? 0} are not asked: ` +
          untested.join(', '),
      ];
}

/** `policies  200 say 36 of 38 things that the policy language has; not said: endPort`. */
function renderPolicies({ policies }: ScenarioReport): readonly string[] {
  if (policies === undefined) return [];
  const all = Object.entries(policies.coverage);
  const unsaid = all.filter(([, times]) => times === 0).map(([what]) => what);
  return [
    `  policies  ${policies.count} say ${all.length - unsaid.length} of ${all.length} things ` +
      'that the policy language ' +
      `has${unsaid.length === 0 ? '' : dim(`; not said: ${unsaid.join(', ')}`)}`,
  ];
}

function renderFinding({
  ids: [first = '', ...more],
  difference,
  onKernel,
}: Finding): readonly string[] {
  const at = difference.at;
  return [
    `  ${symbols.diverges} ` +
      `${bold(first)}${more.length === 0 ? '' : ` and ${more.length} more`}: ` +
      headlineOf(difference),
    `      expected  ${difference.expected}`,
    `      actual    ${difference.actual}`,
    ...(at === undefined
      ? []
      : [
          `      first at  ${describePlace(at)}`,
          ...[flowText(at), ...reasonLines(at).map(dim)]
            .filter((line) => line !== '')
            .map((line) => `                ${line}`),
        ]),
    ...(onKernel === undefined ? [] : [`      kernel    ${describeOnKernel(onKernel)}`]),
  ];
}

/** Each cause once, with the vectors that it cost their verdict. */
function renderInconclusive(scenario: ScenarioReport): readonly string[] {
  if (scenario.inconclusive !== undefined)
    return renderCause(bold(scenario.name), scenario.inconclusive);
  const byCause = new Map<string, { readonly ids: string[]; readonly cause: Inconclusive }>();
  for (const { id, inconclusive: cause } of scenario.vectors) {
    if (cause === undefined) continue;
    const already = byCause.get(cause.cause);
    if (already === undefined) byCause.set(cause.cause, { ids: [id], cause });
    else already.ids.push(id);
  }
  return [...byCause.values()].flatMap(({ ids: [first = '', ...more], cause }) =>
    renderCause(`${bold(first)}${more.length === 0 ? '' : ` and ${more.length} more`}`, cause),
  );
}

function renderCause(who: string, { cause, evidence, remedies }: Inconclusive): readonly string[] {
  return [
    '',
    `  ${symbols.inconclusive} ${who}: ${cause}`,
    ...evidence.map((line) => `      ${dim(line)}`),
    ...remedies.map((line) => `      - ${line}`),
  ];
}

/** Packet-ins where controllers listen, ovn-trace where OVN programs; all others always. */
function countedAspects({ counts }: ScenarioReport): readonly Aspect[] {
  return aspects.filter((aspect) => !seldom.includes(aspect) || counts[aspect].expected > 0);
}

const seldom: readonly Aspect[] = ['packet-ins', 'ovn-trace'];

function renderCount(aspect: Aspect, scenario: ScenarioReport): string {
  const { expected, made, skipped } = scenario.counts[aspect];
  const whole = made === expected ? String(made) : yellow(`${made} of ${expected}`);
  return `${whole} ${aspectName(aspect)}${skipped > 0 ? yellow(` (${skipped} skipped)`) : ''}`;
}

function describePlace(at: Location): string {
  const table = tableOf(at);
  return [
    switchText(at),
    ...(table === undefined ? [] : [bold(`table ${table.table}`)]),
    ...fieldOf(at).map((field) => `field ${bold(field)}`),
  ].join(', ');
}
