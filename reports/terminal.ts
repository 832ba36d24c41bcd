/** A run as people read it in a terminal and in the log of a CI job. */
import picocolors from 'picocolors';
import type { RunReport, ScenarioReport, VectorReport } from '../harness/run/report.js';
import { formatFlowId } from '../harness/nouns/switching.js';
import { aspects, type Aspect, type Difference } from '../harness/nouns/verdict.js';

const { bold, dim, green, red, yellow } = picocolors;

/** How many findings are told in full before the rest is only counted. */
const toldInFull = 5;

const symbols = { conforms: green('✔'), diverges: red('✖'), inconclusive: yellow('?') } as const;
const colours = { conforms: green, diverges: red, inconclusive: yellow } as const;

/** The whole report, without a final newline. */
export function renderTerminal(report: RunReport): string {
  const versions = Object.entries(report.versions).map(([program, version]) => `${program} ${version}`).join(', ');
  return [
    ...report.scenarios.flatMap((scenario) => [...renderScenario(scenario), '']),
    `  image     ${report.image}${versions === '' ? '' : ` (${versions})`}`,
    `  trace     ${report.traceHash}`,
    `  verdict   ${bold(colours[report.verdict](report.verdict))}`,
  ].join('\n');
}

function renderScenario(scenario: ScenarioReport): readonly string[] {
  const axes = Object.entries(scenario.axes).map(([axis, value]) => `${axis}=${value}`).join(' ');
  const findings = [
    ...scenario.program.map((difference) => ({ id: 'program', difference })),
    ...scenario.vectors.flatMap(({ id, differences }) => differences.filter(({ afterDivergence }) => !afterDivergence).map((difference) => ({ id, difference }))),
  ];
  return [
    `${bold(scenario.name)} ${axes}  ${dim(scenario.title)}`,
    ...groups(scenario.vectors).map(renderGroup),
    ...findings.slice(0, toldInFull).flatMap(({ id, difference }) => ['', ...renderFinding(id, difference)]),
    ...(findings.length > toldInFull ? ['', `  … and ${findings.length - toldInFull} more findings`] : []),
    ...renderInconclusive(scenario),
    '',
    `  compared  ${aspects.map((aspect) => renderCount(aspect, scenario)).join(' · ')}`,
    `  time      ${(scenario.durationMs / 1000).toFixed(1)} s`,
  ];
}

/** Vectors by the first word of their id, in order of appearance. */
function groups(vectors: readonly VectorReport[]): readonly (readonly [string, readonly VectorReport[]])[] {
  const found = new Map<string, VectorReport[]>();
  for (const vector of vectors) {
    const name = vector.id.split('/')[0] ?? vector.id;
    found.set(name, [...(found.get(name) ?? []), vector]);
  }
  return [...found];
}

function renderGroup([name, vectors]: readonly [string, readonly VectorReport[]]): string {
  const of = (verdict: VectorReport['verdict']) => vectors.filter((vector) => vector.verdict === verdict).length;
  const worst = of('diverges') > 0 ? 'diverges' : of('inconclusive') > 0 ? 'inconclusive' : 'conforms';
  const denied = vectors.filter(({ intent }) => intent.kind === 'denied' || intent.kind === 'blocked').length;
  const promise = denied === 0 ? 'must pass' : denied === vectors.length ? 'must not pass' : `${vectors.length - denied} must pass, ${denied} must not`;
  const others = [of('diverges') > 0 ? red(`${of('diverges')} diverge`) : '', of('inconclusive') > 0 ? yellow(`${of('inconclusive')} inconclusive`) : ''].filter((text) => text !== '');
  return `  ${symbols[worst]} ${name.padEnd(12)} ${String(of('conforms')).padStart(3)} of ${String(vectors.length).padStart(3)} conform${others.length > 0 ? `, ${others.join(', ')}` : ''}  ${dim(promise)}`;
}

function renderFinding(id: string, difference: Difference): readonly string[] {
  const at = difference.at;
  return [
    `  ${symbols.diverges} ${bold(id)}: ${difference.between} part: ${difference.summary}`,
    `      expected  ${difference.expected}`,
    `      actual    ${difference.actual}`,
    ...(at === undefined
      ? []
      : [
          `      first at  ${at.flow.bridge} on ${at.flow.node}, ${bold(`table ${at.flow.table}`)}${at.field === undefined ? '' : `, field ${bold(at.field)}`}`,
          `                ${formatFlowId(at.flow)}`,
          `                ${dim(at.because)}`,
        ]),
  ];
}

function renderInconclusive(scenario: ScenarioReport): readonly string[] {
  const first = scenario.inconclusive ?? scenario.vectors.find((vector) => vector.inconclusive !== undefined)?.inconclusive;
  if (first === undefined) return [];
  const id = scenario.vectors.find((vector) => vector.inconclusive !== undefined)?.id ?? scenario.name;
  return [
    '',
    `  ${symbols.inconclusive} ${bold(id)} and what comes after it is inconclusive: ${first.cause}`,
    ...first.evidence.map((line) => `      ${dim(line)}`),
    ...first.remedies.map((line) => `      - ${line}`),
  ];
}

function renderCount(aspect: Aspect, scenario: ScenarioReport): string {
  const { expected, made, skipped } = scenario.counts[aspect];
  const whole = made === expected ? String(made) : yellow(`${made} of ${expected}`);
  return `${whole} ${names[aspect]}${skipped > 0 ? yellow(` (${skipped} skipped)`) : ''}`;
}

const names: Readonly<Record<Aspect, string>> = { program: 'flows', intent: 'promises', frames: 'frames', silence: 'silent ports', counters: 'counters' };
