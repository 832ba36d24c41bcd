/** A report for people. */
import { colors } from '../base/text/colors.js';
import type { ThroughputReport, ThroughputResult } from './throughput-report.js';

export function printThroughput(report: ThroughputReport): readonly string[] {
  const versions = Object.entries(report.versions).map((pair) => pair.join(' '));
  return [
    `${report.backend}, packets switched ${report.switching} (${versions.join(', ')})`,
    `${report.machine}; measured programs run ${report.scheduling}`,
    ...report.leftOut,
    ...report.calibrations.flatMap(calibrationLines),
    '',
    ...report.results.flatMap((result, index) => [
      ...headLines(result, report.results[index - 1]),
      ...resultLines(result),
    ]),
    '',
    `  verdict   ${report.verdict}`,
  ];
}

function calibrationLines({
  measure,
  from,
  nanoseconds,
  missed,
  hosts,
}: ThroughputReport['calibrations'][number]): readonly string[] {
  return [
    '',
    `calibration of ${measure}, ${from === 'now' ? 'measured now' : 'kept from before'}`,
    `  switches  ${needsLine(nanoseconds)}`,
    `  hosts     ${needsLine(hosts)}`,
    `  misses    ${Object.entries(missed)
      .map(([path, relative]) => `${path} ${percent(relative)}`)
      .join(' · ')}`,
  ];
}

function needsLine(needs: Readonly<Record<string, number>>): string {
  return Object.entries(needs)
    .filter(([, ns]) => ns > 0)
    .map(([kind, ns]) => `${kind} ${microseconds(ns)}`)
    .join(' · ');
}

function headLines(
  { path, policies, work, measure }: ThroughputResult,
  before: ThroughputResult | undefined,
): readonly string[] {
  const counts = Object.entries(work)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${count} ${kind}`);
  return [
    ...(before?.path === path && before.policies === policies
      ? []
      : ['', `${path}, ${policies} policies`]),
    `  ${measure}: ${counts.join(' · ')}`,
  ];
}

function resultLines(result: ThroughputResult): readonly string[] {
  const { rate, planted, exact, ratios, waiting } = result;
  return [
    `    ${rate.path.toFixed(0)} ${rate.unit}, ${predictedRate(rate.predicted)}the baseline ` +
      rate.baseline.toFixed(0),
    ...(planted === undefined
      ? []
      : [`    planted   ${planted.fault}: it carries ${planted.percent.toFixed(0)} % less`]),
    ...exact.map(
      ({ what, expected, actual, holds }) =>
        `    ${holds ? colors.green('✔') : colors.red('✖')} ${what}: ${actual}, in the ` +
        `model ${expected}`,
    ),
    ...ratios.map(({ need, measured, predicted, verdict, why }) => {
      return (
        `    ${markOf(verdict)} ${need.padEnd(9)} ${times(measured)}, predicted ` +
        `${times(predicted)}: ${verdict}${why === undefined ? '' : ` (${why})`}`
      );
    }),
    waitingLine(waiting),
  ];
}

function waitingLine({ measured, clean, busy, verdict, why }: ThroughputResult['waiting']): string {
  const had = Object.entries(busy)
    .filter(([, of]) => of > 0)
    .map(([who, of]) => `${who} ${shareOf(of)}`);
  return (
    `    ${markOf(verdict)} waiting   ${shareOf(measured.value)} of the time, reference paths ` +
    `${shareOf(clean.low)} to ${shareOf(clean.high ?? 1)}; on a processor: ${had.join(' · ')}: ` +
    `${verdict}${why === undefined ? '' : ` (${why})`}`
  );
}

function shareOf(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}

function markOf(verdict: string): string {
  if (verdict === 'conforms') return colors.green('✔');
  return verdict.startsWith('inconclusive') ? colors.yellow('–') : colors.red('✖');
}

function predictedRate(rate: Printed | undefined): string {
  if (rate === undefined) return '';
  const { value, low, high } = rate;
  return `predicted ${value.toFixed(0)} (${low.toFixed(0)} to ${high?.toFixed(0) ?? '∞'}), `;
}

interface Printed {
  readonly value: number;
  readonly low: number;
  readonly high: number | null;
}

function times({ value, low, high }: Printed): string {
  return `${value.toFixed(2)} (${low.toFixed(2)} to ${high?.toFixed(2) ?? '∞'}) times`;
}

function microseconds(ns: number): string {
  return `${(ns / 1000).toFixed(2)} µs`;
}

function percent(relative: number): string {
  return `${relative < 0 ? '−' : '+'}${Math.abs(relative * 100).toFixed(0)} %`;
}
