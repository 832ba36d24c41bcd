/** One bridge in one form: what a switch prints is read, and what is read is played on a switch. */
import { InputError, Unavailable, Unsupported } from '../../base/errors/errors.js';
import type { NodePlan } from '../../domain/plan/cluster-plan.js';
import { dumpedSwitch } from '../../dumps/dumped-switch.js';
import type { BridgeSources } from '../../dumps/dumped-bridge.js';
import type { OvsSwitches } from '../../testbeds/ovs-switches.js';
import { checkPackets, withControllers, type Injection } from '../../trace/check-packets.js';
import { acceptanceFinding, type FuzzFinding } from '../fuzz-finding.js';
import { dumpedAs, formsPlan, type DumpForm } from './print-forms.js';

export interface FormCase {
  readonly flows: readonly string[];
  readonly groups: readonly string[];
  readonly packets: readonly Injection[];
}

export interface FormJudgement {
  readonly differences: readonly FuzzFinding[];
  readonly frames: number;
  /** Why it was not compared to its end. */
  readonly skipped?: string;
}

type Open = (plan: NodePlan) => Promise<OvsSwitches>;

/** @throws Unavailable when a switch fails. */
export async function judgeForm(
  { flows, groups, packets }: FormCase,
  form: DumpForm,
  open: Open,
): Promise<FormJudgement> {
  const printed = await using(open, formsPlan(flows, groups), (real) => dumpedAs(real, form));
  if (printed instanceof Error) return skipped(printed);
  const plan = planRead(printed);
  if (plan instanceof Error)
    return plan instanceof InputError
      ? refused('what ovs-ofctl prints is read', plan)
      : skipped(plan);
  const result = await using(open, plan, (real) => checkPackets(plan, real, packets));
  if (result instanceof InputError) return refused('check takes what trace takes', result);
  if (result instanceof Error) return skipped(result);
  return { differences: result.findings, frames: result.counts.frames.made };
}

function refused(what: string, { message }: Error): FormJudgement {
  return { differences: [acceptanceFinding(what, 'is taken', message)], frames: 0 };
}

function skipped({ message }: Error): FormJudgement {
  return { differences: [], frames: 0, skipped: message };
}

function planRead(printed: BridgeSources): NodePlan | Error {
  try {
    return withControllers(dumpedSwitch([printed]).plan);
  } catch (error) {
    if (error instanceof InputError || error instanceof Unsupported) return error;
    throw error;
  }
}

/** What is refused, and what the model does not know, are values. */
async function using<Result>(
  open: Open,
  plan: NodePlan,
  work: (real: OvsSwitches) => Promise<Result>,
): Promise<Result | Error> {
  let real: OvsSwitches | undefined;
  try {
    real = await open(plan);
    return await work(real);
  } catch (error) {
    if (error instanceof Unavailable) throw error;
    if (error instanceof InputError || error instanceof Unsupported) return error;
    throw error;
  } finally {
    await real?.close();
  }
}
