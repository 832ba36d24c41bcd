/**
 * What `flowbed trace --script` prints for people: each line of the script, and its result.
 */
import { colors } from '../harness/base/text/colors.js';
import { shown } from '../harness/base/text/visible.js';
import type { ReportedStep } from '../harness/trace/script/report-step.js';
import { renderTrace } from './render-trace.js';

const { bold, dim, red } = colors;

export function renderScript(steps: readonly ReportedStep[]): string {
  return shown(steps)
    .map(({ line, text, result }, index) =>
      [
        ...(index > 0 && (isLong(result) || isLong(steps[index - 1]?.result)) ? [''] : []),
        bold(`${line}: ${text}`),
        ...renderResult(result),
      ].join('\n'),
    )
    .join('\n');
}

/** Packets and dumps stand apart; what only happens is a line among others. */
function isLong(result: ReportedStep['result'] | undefined): boolean {
  return result !== undefined && result.kind !== 'done';
}

function renderResult(result: ReportedStep['result']): readonly string[] {
  switch (result.kind) {
    case 'packet':
      return ['', renderTrace(result.packet)];
    case 'lost':
      return [dim(`the link of ${result.port} is down: the packet is lost`)];
    case 'unsent':
      return [dim(`not sent: ${result.why}`)];
    case 'dump':
      return result.lines.length === 0 ? [dim('nothing')] : result.lines;
    case 'done':
      return [];
    case 'refused':
      return [red(`? ${result.why}`)];
  }
}
