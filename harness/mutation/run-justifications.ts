/** Survivors in how vectors are played. */
import { forTypes, type Justification } from './justification.js';

export const runJustifications: readonly Justification[] = [
  {
    file: 'harness/run/batch-play.ts', line: 'const resolved = await playTogether(', mutations: ["'neighbours' → ''"],
    why: 'the same: nothing in an ARP request is drawn',
  },
  {
    file: 'harness/run/batch-play.ts', line: 'const real = observations[index] ??', mutations: ['observations[index] ?? { frames: [], notes: [] } → observations[index]'],
    why: forTypes,
  },
  {
    file: 'harness/run/batch-play.ts', line: "if (!('to' in stimulus)) continue;", mutations: ["'to' in stimulus → true"],
    why: forTypes,
  },
  {
    file: 'harness/run/batch.ts', line: 'const observation = played.observations[index] ??', mutations: ['played.observations[index] ?? { frames: [], notes: [] } → played.observations[index]'],
    why: forTypes,
  },
  {
    file: 'harness/run/drive.ts', line: 'while (modelAsks.done !== true && realAsks.done !== true) {',
    mutations: ['modelAsks.done !== true → true', 'realAsks.done !== true → true'],
    why: 'the same: as long as both are told the same, both end at once',
  },
  {
    file: 'harness/run/drive.ts', line: 'return Math.max(0, candidates.findIndex(({ flow, packets }) => (seen.get(flowKey(flow)) ?? 0) > packets));',
    mutations: ['seen.get(flowKey(flow)) ?? 0 → seen.get(flowKey(flow))'],
    why: 'the same: neither nothing nor undefined is more than anything',
  },
  {
    file: 'harness/run/drive.ts', line: 'return a.length === b.length && a.every((step, index) => sameOutputs(step, b[index]));',
    mutations: ['a.length === b.length → true'],
    why: 'the same: every testbed answers each call',
  },
  {
    file: 'harness/run/drive.ts', line: 'return b !== undefined && text(a) === text(b);',
    mutations: ['b !== undefined → true'],
    why: forTypes,
  },
  {
    file: 'harness/run/drive.ts', line: 'const text = (step: SwitchStep) => JSON.stringify(step.outputs.map(({ port, frame }) => [port, Buffer.from(frame).toString(\'hex\')]).sort((x, y) => ((x[0] ?? \'\') < (y[0] ?? \'\') ? -1 : x[0] === y[0] ? 0 : 1)));',
    mutations: ['1 → 2', '1 → 2 (2)', '(x[0] ?? \'\') < (y[0] ?? \'\') → (x[0] ?? \'\') <= (y[0] ?? \'\')', 'x[0] === y[0] → true', 'x[0] === y[0] → false', '0 → 1 (3)', '0 → 1 (4)', '0 → 1 (5)'],
    why: 'the same: only the sign counts, V8 sorts by what is less alone, and both sides are sorted alike',
  },
  {
    file: 'harness/run/passes.ts', line: "if (typeof entry === 'object' && entry !== null) return [...leaves(entry, name === 'payload' ? '' : `${place}${name}.`)];",
    mutations: ['entry !== null → true'],
    why: forTypes,
  },
  {
    file: 'harness/run/vector-run.ts', line: "return { sibling: { differs: whatDiffers(vector.stimulus, sibling.stimulus) ?? 'nothing', stimulus: { ...sibling.stimulus }, intent: { ...scenario.intent(topology, sibling.stimulus) } } };",
    mutations: ["whatDiffers(vector.stimulus, sibling.stimulus) ?? 'nothing' → whatDiffers(vector.stimulus, sibling.stimulus)", "'nothing' → ''"],
    why: 'never told: a sibling has something otherwise',
  },
  {
    file: 'harness/run/vector-run.ts', line: 'const timeUs = (played.real.frames.at(-1)?.timeUs ?? 0) + 1;',
    mutations: ['played.real.frames.at(-1)?.timeUs ?? 0 → played.real.frames.at(-1)?.timeUs', '0 → 1'],
    why: 'only where no frame went in at all: every vector sends one',
  },
  {
    file: 'harness/run/vector-run.ts', line: "if (error instanceof Unsupported) return { kind: 'unknown', cause: error, counts: onlyPromises };",
    mutations: ["'unknown' → ''"],
    why: 'the same: all but `ok` and `unavailable` is unknown',
  },
  {
    file: 'harness/run/vector-run.ts', line: 'await turn();', mutations: ['await turn(); removed'],
    why: 'nothing is computed otherwise: only whether Ctrl-C is heard meanwhile',
  },
];
