/** What becomes of every mutant of a module when the tests that reach it run. */
import { inParallel } from '../testing/in-parallel.js';
import { instrument } from './instrument.js';
import type { Memory, Outcome } from './memory.js';
import type { MutantName } from './mutant.js';
import { nobody } from './question.js';
import type { Sandbox, Stage } from './sandbox.js';
import type { Reach, Surveyed } from './survey.js';

/** `killed`: a test failed; `stopped`: it never came to an end; `unreached`: no test runs this code. */
export type Fate = 'killed' | 'stopped' | 'survived' | 'unreached';

export interface Tried extends MutantName {
  readonly fate: Fate;
}

/**
 * Tries every mutant of a module, each on its own: the first test that fails decides, and the one that noticed the last mutant is asked first.
 * @param memory what tests said before; it is told what they say now.
 * @param progress called after each mutant.
 * @returns in the order of the text.
 */
export async function tryModule(sandbox: Sandbox, module: Surveyed, memory: Memory, progress: () => void): Promise<readonly Tried[]> {
  await sandbox.instrument([{ path: module.path, text: instrument(module.text, module.mutants, 0) }]);
  const stages = keepStages(sandbox);
  const inOrder = [...module.reaches];
  const fates = new Map<number, Fate>();
  await inParallel([...module.names.keys()], async (mutant) => {
    const reaching = inOrder.filter(({ mutants }) => mutants.has(mutant));
    const { noticed, outcome } = await firstToNotice(stages, module.path, mutant, reaching, memory);
    if (noticed !== undefined) inOrder.unshift(...inOrder.splice(inOrder.indexOf(noticed), 1));
    fates.set(mutant, reaching.length === 0 ? 'unreached' : fateOf[outcome]);
    progress();
  });
  await stages.close();
  return module.names.map((name, mutant) => ({ ...name, fate: fates.get(mutant) ?? 'unreached' }));
}

const fateOf: Readonly<Record<Outcome, Fate>> = { passed: 'survived', failed: 'killed', endless: 'stopped' };

async function firstToNotice(stages: Stages, module: string, mutant: number, reaching: readonly Reach[], memory: Memory): Promise<{ readonly noticed?: Reach; readonly outcome: Outcome }> {
  const known = reaching.map((reach) => ({ reach, outcome: memory.recall(reach.test, module, mutant) }));
  for (const { reach, outcome } of known) if (outcome !== undefined && outcome !== 'passed') return { noticed: reach, outcome };
  const own = stages.own(mutant);
  try {
    for (const { reach, outcome: before } of known) {
      if (before !== undefined) continue;
      const outcome = (reach.lasting.has(mutant) ? undefined : await stages.tryAmongOthers(reach, mutant)) ?? (await own.try(reach));
      memory.keep(reach.test, module, mutant, outcome);
      if (outcome !== 'passed') return { noticed: reach, outcome };
    }
    return { outcome: 'passed' };
  } finally {
    await own.close();
  }
}

interface Stages {
  /** In a program that has played other mutants before: undefined when only a program of its own can tell. */
  readonly tryAmongOthers: (reach: Reach, mutant: number) => Promise<Outcome | undefined>;
  /** A program of the mutant's own, started when it is needed. */
  readonly own: (mutant: number) => { readonly try: (reach: Reach) => Promise<Outcome>; readonly close: () => Promise<void> };
  readonly close: () => Promise<void>;
}

function keepStages(sandbox: Sandbox): Stages {
  const idle: Stage[] = [];
  return {
    tryAmongOthers: async (reach, mutant) => {
      const stage = idle.pop() ?? sandbox.open(nobody);
      const outcome = await stage.play(reach.test, mutant, questionsMax(reach));
      if (outcome === 'passed' || outcome === 'failed') {
        idle.push(stage);
        return outcome;
      }
      await stage.close();
      return undefined;
    },
    own: (mutant) => {
      let stage: Stage | undefined;
      return {
        try: async (reach) => {
          stage ??= sandbox.open(mutant);
          const outcome = await stage.play(reach.test, mutant, questionsMax(reach));
          return outcome === 'passed' || outcome === 'endless' ? outcome : 'failed';
        },
        close: async () => stage?.close(),
      };
    },
    close: async () => { for (const stage of idle) await stage.close(); },
  };
}

/** A mutant may change how much work there is; one that asks this often does not come to an end. */
function questionsMax({ questions }: Reach): number {
  return 20 * questions + 1_000_000;
}
