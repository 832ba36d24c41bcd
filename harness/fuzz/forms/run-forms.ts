/** Bridges of a seed, each in two of the forms in turn; what differs is shrunk to its flows. */
import type { NodePlan } from '../../domain/plan/cluster-plan.js';
import { behaviourOf, oldest } from '../../model/behaviour.js';
import { deltaDebug } from '../../search/delta-debug.js';
import type { OvsSwitches } from '../../testbeds/ovs-switches.js';
import type { FuzzFinding } from '../fuzz-finding.js';
import { drawCase } from '../generate/draw-case.js';
import { judgeForm, type FormCase } from './judge-form.js';
import { dumpForms, printForm, type DumpForm } from './print-forms.js';

export interface FormFinding {
  /** Its number in the seed. */
  readonly index: number;
  /** `-O OpenFlow13 --names` */
  readonly form: string;
  readonly smallest: FormCase;
  readonly differences: readonly FuzzFinding[];
}

export interface FormsResult {
  /** Bridges in one form each. */
  readonly cases: number;
  readonly frames: number;
  readonly findings: readonly FormFinding[];
  /** How many were not compared, by the reason. */
  readonly skipped: ReadonlyMap<string, number>;
}

const packetsPerCase = 8;

/** Case `index` of a seed, the same for all versions; its ports are those of the bridge. */
export function drawFormCase(seed: number, index: number): FormCase {
  const { flows, groups, steps } = drawCase(seed, index, behaviourOf(oldest));
  const packets = steps.flatMap((step) =>
    step.kind === 'packet' && /^[1-4]$/.test(step.port)
      ? [{ port: `p${step.port}`, frame: step.frame }]
      : [],
  );
  return { flows, groups, packets: packets.slice(0, packetsPerCase) };
}

/** Cases of a seed take turns with the forms. */
export function formOf(index: number): DumpForm {
  return dumpForms[index % dumpForms.length]!;
}

export async function runForms(options: {
  readonly seed: number;
  readonly count: number;
  readonly first?: number;
  readonly open: (plan: NodePlan) => Promise<OvsSwitches>;
  readonly onProgress?: (played: number) => void;
}): Promise<FormsResult> {
  const { seed, count, first = 0, open, onProgress } = options;
  const findings: FormFinding[] = [];
  const skipped = new Map<string, number>();
  let frames = 0;
  for (let index = first; index < first + count; index++) {
    onProgress?.(index - first);
    const [form, drawn] = [formOf(index), drawFormCase(seed, index)];
    const judgement = await judgeForm(drawn, form, open);
    frames += judgement.frames;
    if (judgement.skipped !== undefined)
      skipped.set(judgement.skipped, (skipped.get(judgement.skipped) ?? 0) + 1);
    const [difference] = judgement.differences;
    if (difference === undefined) continue;
    const smallest = await shrink(drawn, form, difference, open);
    const { differences } = await judgeForm(smallest, form, open);
    findings.push({ index, form: printForm(form), smallest, differences });
  }
  return { cases: count, frames, findings, skipped };
}

/** What is left differs in the same aspect. */
async function shrink(
  drawn: FormCase,
  form: DumpForm,
  { aspect }: FuzzFinding,
  open: (plan: NodePlan) => Promise<OvsSwitches>,
): Promise<FormCase> {
  const differs = async (smaller: FormCase) =>
    (await judgeForm(smaller, form, open)).differences.some((one) => one.aspect === aspect);
  const packets =
    aspect === 'acceptance'
      ? []
      : await deltaDebug(drawn.packets, (some) => differs({ ...drawn, packets: some }));
  const flows = await deltaDebug(drawn.flows, (some) =>
    differs({ ...drawn, packets, flows: some }),
  );
  const groups = await deltaDebug(drawn.groups, (some) =>
    differs({ packets, flows, groups: some }),
  );
  return { flows, groups, packets };
}
