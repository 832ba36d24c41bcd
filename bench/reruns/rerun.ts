/** One run of Flowbed as a process of its own, and its result. */
import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { runReport } from '../../harness/run/records/run-report.js';

/** The command whose runs are counted. */
export const command = ['run', 'antrea/encap', '--passes', 'cold', '--json'] as const;

/** A line of the file of results. */
export const rerun = z.object({
  run: z.int(),
  seed: z.int(),
  isolation: z.enum(['where it can be', 'none']),
  exit: z.union([z.int(), z.string()]).describe('an exit code, or the name of a signal'),
  traceHash: z.string().exactOptional().describe('missing where there was no report'),
  /** Why there was no verdict, or what was printed where there should have been a report. */
  reasons: z.array(z.string()),
  ms: z.int(),
  carried: z.record(z.string(), z.int()),
});

export type Rerun = z.infer<typeof rerun>;

export interface RunEnd extends Pick<Rerun, 'exit' | 'traceHash'> {
  readonly reasons: readonly string[];
  readonly printed: string;
}

/** @param project a folder with a build; what the run leaves there is removed. */
export async function runOnce(project: string, variables: NodeJS.ProcessEnv): Promise<RunEnd> {
  const main = join(project, 'dist/harness/cli/main.js');
  const env = { ...process.env, NO_COLOR: '1', ...variables };
  const { exit, stdout, stderr } = await new Promise<
    Record<'stdout' | 'stderr', string> & Pick<RunEnd, 'exit'>
  >((resolve) => {
    execFile(
      process.execPath,
      [main, ...command],
      { cwd: project, env, maxBuffer: 1 << 28 },
      (error, stdout, stderr) => {
        resolve({
          exit: error === null ? 0 : (error.signal ?? error.code ?? 'unknown'),
          stdout,
          stderr,
        });
      },
    );
  });
  await rm(join(project, 'runs'), { recursive: true, force: true });
  const report = reportIn(stdout);
  const reasons =
    report === undefined ? stderr.trim().split('\n').slice(-reasonLines) : whyInconclusive(report);
  return {
    exit,
    reasons: exit === 0 ? [] : reasons,
    printed: `${stdout}\n${stderr}`,
    ...(report === undefined ? {} : { traceHash: report.traceHash }),
  };
}

const reasonLines = 3;

type Report = z.infer<typeof runReport>;

function reportIn(text: string): Report | undefined {
  try {
    return runReport.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Each cause once, with the last words of who failed. */
function whyInconclusive({ scenarios }: Report): readonly string[] {
  const causes = scenarios
    .flatMap((scenario) => [scenario, ...scenario.vectors])
    .flatMap(({ inconclusive }) => {
      if (inconclusive === undefined) return [];
      return [[inconclusive.cause, ...inconclusive.evidence.slice(-1)].join(': ')];
    });
  return [...new Set(causes)];
}
