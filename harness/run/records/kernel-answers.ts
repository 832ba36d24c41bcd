/**
 * What a kernel did with what had diverged on the sim: `kernel.json`, in a run's folder beside what
 * the run wrote, and later than that. It belongs to one report, by its digest.
 */
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { canonicalJson, sha256 } from '../../base/files/digest.js';
import type { RunReport } from './run-report.js';
import { onKernel } from '../judging/vector-report.js';

const answer = z.object({
  scenario: z.int().describe('its place in the report'),
  id: z.string(),
  onKernel,
});
export type KernelAnswer = z.infer<typeof answer>;

const file = z.object({
  format: z.literal('flowbed/on-kernel/1'),
  report: z.string().describe('SHA-256 of report.json'),
  answers: z.array(answer),
  seal: z.string(),
});

/**
 * Writes them, with those that were there of other vectors.
 * @param folder that of the run, with its report. @throws what a file system does.
 */
export async function writeKernelAnswers(
  folder: string,
  answers: readonly KernelAnswer[],
): Promise<void> {
  const report = sha256(await readFile(join(folder, 'report.json'), 'utf8'));
  const before = await readKernelAnswers(folder, report);
  const keyOf = ({ scenario, id }: KernelAnswer) => `${scenario} ${id}`;
  const isNew = new Set(answers.map(keyOf));
  const earlier =
    before.kind === 'answers' ? before.answers.filter((one) => !isNew.has(keyOf(one))) : [];
  const content = {
    format: 'flowbed/on-kernel/1' as const,
    report,
    answers: [...earlier, ...answers],
  };
  const unfinished = join(folder, '.unfinished-kernel.json');
  await writeFile(unfinished, `${JSON.stringify({ ...content, seal: sealOf(content) })}\n`);
  await rename(unfinished, join(folder, 'kernel.json'));
}

function sealOf(content: Omit<z.infer<typeof file>, 'seal'>): string {
  return sha256(canonicalJson(content));
}

export type ReadAnswers =
  | { readonly kind: 'answers'; readonly answers: readonly KernelAnswer[] }
  /** It was changed by hand, or is that of another run. */
  | { readonly kind: 'wrong'; readonly file: string; readonly what: string };

/** None where nothing was asked. @param report the digest of report.json. */
export async function readKernelAnswers(folder: string, report: string): Promise<ReadAnswers> {
  const wrong = (what: string) => ({ kind: 'wrong' as const, file: 'kernel.json', what });
  const text = await readFile(join(folder, 'kernel.json'), 'utf8').catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    },
  );
  if (text === undefined) return { kind: 'answers', answers: [] };
  const read = file.safeParse(parsed(text));
  if (!read.success) return wrong('it is not as this version of flowbed writes it');
  const { seal, ...content } = read.data;
  if (seal !== sealOf(content)) return wrong('its seal does not fit: it was changed by hand');
  if (content.report !== report) return wrong('it is about another report.json');
  return { kind: 'answers', answers: content.answers };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The report, whose vectors say what a kernel did with them. */
export function withKernelAnswers<Report extends Pick<RunReport, 'scenarios'>>(
  report: Report,
  answers: readonly KernelAnswer[],
): Report {
  if (answers.length === 0) return report;
  const found = new Map(answers.map((one) => [`${one.scenario} ${one.id}`, one.onKernel]));
  return {
    ...report,
    scenarios: report.scenarios.map((scenario, index) => ({
      ...scenario,
      vectors: scenario.vectors.map((vector) => {
        const said = found.get(`${index} ${vector.id}`);
        return said === undefined ? vector : { ...vector, onKernel: said };
      }),
    })),
  };
}
