/**
 * What diverged on the sim is played on the kernel's datapath by the run itself, in a guest, and
 * its findings say whether a kernel does the same.
 */
import { kernelFolder } from '../../../images/uml/kernel.js';
import { describeOnKernel } from '../../../reports/describe-differences.js';
import { attempt } from '../../base/errors/outcome.js';
import { shown } from '../../base/text/visible.js';
import { isInWorld } from '../../base/world.js';
import { withKernelAnswers, writeKernelAnswers } from '../../run/records/kernel-answers.js';
import { folderOf } from '../../run/records/read-run-folder.js';
import type { RunRecord } from '../../run/records/run-record.js';
import type { RunReport } from '../../run/records/run-report.js';
import type { Context } from '../context.js';
import { playInGuest } from './replay-on-others.js';
import type { RunOptions } from './run-spec.js';
import { writeReports } from './store-run.js';

/** Whether there is something to ask it, and nobody has said not to. */
export function isForKernel(
  { backend, reference, world, scenarios }: RunReport,
  { confirm }: Pick<RunOptions, 'confirm'>,
): boolean {
  const diverged = scenarios.some(({ vectors }) =>
    vectors.some(({ verdict }) => verdict === 'diverges'),
  );
  return (
    confirm !== false &&
    process.env['FLOWBED_NO_CONFIRM'] === undefined &&
    diverged &&
    backend === 'sim' &&
    reference === undefined &&
    world === undefined &&
    !isInWorld()
  );
}

/** The number of a run, and the folder of its reports, where there are such. */
interface Written {
  readonly run: string | undefined;
  readonly reports: string | undefined;
}

/** @returns the report with its answers, and lines to stand below the verdict. */
export async function askKernel(
  context: Context,
  record: RunRecord,
  { run, reports }: Written,
): Promise<{ readonly report: RunReport; readonly lines: readonly string[] }> {
  if (run === undefined)
    return { report: record.report, lines: ['  kernel    not asked: the run has no folder'] };
  if (!(await kernelFolder()).built)
    return {
      report: record.report,
      lines: ['  kernel    not asked: there is none yet (./flowbed image build uml)'],
    };
  const asked = await attempt(async () => {
    const request = { run, vector: undefined, backend: 'netns' };
    const { answers } = await playInGuest(context, request);
    await writeKernelAnswers(folderOf(context.root, run), answers);
    const report = withKernelAnswers(record.report, answers);
    if (reports !== undefined) await writeReports(reports, { ...record, report });
    return { report, answers };
  });
  if (asked.kind !== 'ok')
    return { report: record.report, lines: [`  kernel    not asked: ${asked.cause.message}`] };
  return {
    report: asked.value.report,
    lines: shown(asked.value.answers).map(
      ({ id, onKernel }) => `  kernel    ${id} is ${describeOnKernel(onKernel)}`,
    ),
  };
}
