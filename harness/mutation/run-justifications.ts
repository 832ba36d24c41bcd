/** Survivors in how vectors are played. */
import { forTypes, type Justification } from './justification.js';

export const runJustifications: readonly Justification[] = [
  {
    file: 'harness/run/batch-play.ts', line: 'const resolved = await playTogether(', mutations: ["'neighbours' → ''"],
    why: 'the same: nothing in an ARP request is drawn',
  },
  {
    file: 'harness/run/batch-play.ts', line: 'for (const [place, { index, pass }] of players.entries())', mutations: ['played.observations[place] ?? nothingSeen → played.observations[place]'],
    why: forTypes,
  },
  {
    file: 'harness/run/batch-play.ts', line: 'return flows.filter(({ statistics })', mutations: ['statistics?.packets → statistics.packets'],
    why: forTypes,
  },
  {
    file: 'harness/run/batch-play.ts', line: "if (!('to' in stimulus)) continue;", mutations: ["'to' in stimulus → true"],
    why: forTypes,
  },
  {
    file: 'harness/run/passes.ts', line: "if (typeof entry === 'object' && entry !== null) return [...leaves(entry, name === 'payload' ? '' : `${place}${name}.`)];",
    mutations: ['entry !== null → true'],
    why: forTypes,
  },
  {
    file: 'harness/run/vector-run.ts', line: 'if (again === undefined || sibling === undefined) return {};', mutations: ['again === undefined → false'],
    why: forTypes,
  },
  {
    file: 'harness/run/vector-run.ts', line: "return { sibling: { differs: whatDiffers(again.stimulus, sibling.stimulus) ?? 'nothing', stimulus: { ...sibling.stimulus }, intent: { ...expectedIn(stage, sibling.stimulus) } } };",
    mutations: ["whatDiffers(again.stimulus, sibling.stimulus) ?? 'nothing' → whatDiffers(again.stimulus, sibling.stimulus)", "'nothing' → ''"],
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
    file: 'harness/run/vector-run.ts', line: "return expectedCounts(observations, passes.some((pass) => isWarm({ pass })) ? 'all' : 'cold', { counts: await model.counts(), state: await model.state() }, portsOf(plan));",
    mutations: ["'cold' → ''"],
    why: 'the same: all but `all` is cold',
  },
  {
    file: 'harness/run/vector-run.ts', line: 'await turn();', mutations: ['await turn(); removed'],
    why: 'nothing is computed otherwise: only whether Ctrl-C is heard meanwhile',
  },
];
