/**
 * Goal: model and switch do the same with what the fuzzer draws; what was found once stays mended,
 * on every version; and the fuzzer finds what is wrong, and makes it small. Method: a short run of
 * one seed, twice the same; the frozen cases; a model that gets the flows wrong, and a wire that
 * loses or changes frames. SEED=n COUNT=n for another run, SUITE=trixie for one version.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { z } from 'zod';
import { openImage } from '../../images/images.js';
import { Unavailable } from '../base/errors/errors.js';
import type { SwitchStep } from '../domain/switching.js';
import { printFlow, type Flow } from '../openflow/flows/flow.js';
import type { OpenOptions } from '../testbeds/ovs-switches.js';
import { runCampaign, shrinkFinding, type CampaignResult, type Finding } from './campaign.js';
import { readFlow } from './fuzz-case.js';
import type { FuzzFinding } from './fuzz-finding.js';
import { parseRegression } from './regression-case.js';
import { drawCase } from './generate/draw-case.js';
import { judgeCase } from './judge-case.js';
import { type Sides } from './case-judgement.js';
import { openSides } from './open-sides.js';

const seed = Number(process.env['SEED'] ?? 1);
const count = Number(process.env['COUNT'] ?? 900);
const suites = (process.env['SUITE'] ?? 'bookworm,trixie,sid').split(',');
const frozen = fileURLToPath(new URL('../../../harness/fuzz/frozen', import.meta.url));
/**
 * What is not compared of each frozen case, by reason, with the images it is so on: a case that is
 * no longer compared cannot differ.
 */
const leftOut = z
  .record(z.string(), z.record(z.string(), z.array(z.string())))
  .parse(JSON.parse(await readFile(join(frozen, '../left-out.json'), 'utf8')));

async function withSides<T>(
  suite: string,
  options: OpenOptions,
  work: (sides: Sides) => Promise<T>,
): Promise<T> {
  const sides = await openSides(await openImage(suite, (line) => t.comment(line)), options);
  try {
    return await work(sides);
  } finally {
    await sides.close();
  }
}

async function run(sides: Sides, packets: number): Promise<CampaignResult> {
  const result = await runCampaign([sides], {
    draw: drawCase,
    seed,
    count: packets,
    onProgress: () => undefined,
  });
  if (result.gone !== undefined) throw result.gone;
  return result;
}

void t.test('model and switch do the same, and again', async (t) => {
  await withSides('trixie', {}, async (sides) => {
    const result = await run(sides, count);
    t.same(result.findings, []);
    t.ok(
      result.sent >= count && result.frames > count / 4 && result.counters > count / 4,
      `${result.sent} packets, ${result.frames} frames, ${result.counters} counters`,
    );
    t.same(await run(sides, 150), await run(sides, 150), 'nothing of one run is left in the next');
  });
});

for (const suite of suites) {
  void t.test(`what was found once, on ${suite}`, async (t) => {
    const files = (await readdir(frozen)).filter((file) => file.endsWith('.json')).sort();
    t.ok(files.length > 0);
    t.same(
      Object.keys(leftOut).filter((file) => !files.includes(file)),
      [],
      'left-out.json speaks of cases that there are',
    );
    await withSides(suite, {}, async (sides) => {
      for (const file of files) {
        const judgement = await judgeCase(
          sides,
          parseRegression(await readFile(join(frozen, file), 'utf8'), file),
        );
        t.same(judgement.differences, [], file);
        const known = Object.entries(leftOut[file] ?? {})
          .filter(([, images]) => images.includes(suite))
          .map(([why]) => why);
        t.strictSame(
          [...new Set(judgement.skipped.map(({ why }) => why))].sort(),
          known.sort(),
          `${file}: left out is what left-out.json says`,
        );
      }
    });
  });
}

/**
 * The first finding of a model that is given other flows than the switch, among so many packets:
 * each finding is shrunk, so there are to be few.
 */
async function firstWith(
  change: (flow: Flow) => Flow,
  packets: number,
): Promise<Finding | undefined> {
  const twisted = (sides: Sides): Sides => ({
    ...sides,
    openModel: ({ nodes }) =>
      sides.openModel({
        nodes: nodes.map((each) => ({
          ...each,
          bridges: each.bridges.map((bridge) => ({
            ...bridge,
            flows: bridge.flows.map((text) => printFlow(change(readFlow(text)))),
          })),
        })),
      }),
  });
  return await withSides(
    'trixie',
    {},
    async (sides) => (await run(twisted(sides), packets)).findings[0],
  );
}

void t.test('faults are found, and shrink to three flows at most', async (t) => {
  const upsideDown = await firstWith((flow) => ({ ...flow, priority: 0xffff - flow.priority }), 30);
  t.ok(
    upsideDown !== undefined &&
      upsideDown.smallest.flows.length <= 3 &&
      upsideDown.smallest.steps.length <= 2,
    'priorities the other way round',
  );
  const unmasked = await firstWith(
    (flow) => ({
      ...flow,
      match: flow.match.map((entry) =>
        entry.field.notation === 'hex' ? { ...entry, mask: entry.field.ones } : entry,
      ),
    }),
    80,
  );
  t.ok(
    unmasked !== undefined &&
      unmasked.smallest.flows.length <= 3 &&
      unmasked.smallest.steps.length <= 2,
    'masks of registers that are not matched on',
  );
  const broken = await withSides(
    'trixie',
    {},
    async (sides) =>
      (
        await run(
          {
            ...sides,
            openModel: (plan) => ({
              ...sides.openModel(plan),
              call: () => Promise.reject(new RangeError('offset')),
            }),
          },
          30,
        )
      ).findings[0],
  );
  t.match(
    broken?.differences,
    [{ aspect: 'crash', summary: 'the model fails', expected: /^RangeError: offset at / }],
    'a model that fails is a difference, too',
  );
  const lost = await withSides(
    'trixie',
    {
      wire: ({ outputs, ...rest }): SwitchStep => ({
        ...rest,
        outputs: outputs.filter(({ port }) => port !== '3'),
      }),
    },
    async (sides) => (await run(sides, 60)).findings[0],
  );
  t.match(lost?.differences, [{ aspect: 'frames', summary: /^a frame is missing out of 3 / }]);
  t.ok(
    lost !== undefined && lost.smallest.flows.length <= 3 && lost.smallest.steps.length === 1,
    'a wire that loses frames',
  );
});

void t.test('what was found before a switch fails is reported', (t) =>
  withSides('trixie', {}, async (sides) => {
    const failure = async (
      when: (doing: string, cases: number) => boolean,
      openModel = sides.openModel,
    ): Promise<CampaignResult> => {
      let [doing, cases] = ['', 0];
      const sim: Sides['sim'] = (network) =>
        when(doing, ++cases) ? Promise.reject(new Unavailable('it is gone')) : sides.sim(network);
      return await runCampaign([{ ...sides, sim, openModel }], {
        draw: drawCase,
        seed,
        count: 300,
        onProgress: (_, progress) => {
          doing = progress;
        },
      });
    };
    const early = await failure((_, cases) => cases > 3);
    t.equal(early.gone?.message, 'in case 3: it is gone');
    t.same([early.cases, early.findings], [3, []]);
    t.ok(early.sent > 0);
    const shrinking = await failure(
      (doing) => doing.startsWith('shrinking'),
      (plan) => ({
        ...sides.openModel(plan),
        call: () => Promise.reject(new RangeError('offset')),
      }),
    );
    t.equal(shrinking.gone?.message, `while case ${shrinking.cases - 1} was shrunk: it is gone`);
    t.same(
      shrinking.findings.map(({ index, smallest }) => ({ index, smallest })),
      [
        {
          index: shrinking.cases - 1,
          smallest: drawCase(seed, shrinking.cases - 1, sides.behaviour),
        },
      ],
      'as it was drawn',
    );
  }),
);

void t.test('what does not differ any more once it is small is reported as it was seen', (t) =>
  withSides('trixie', {}, async (sides) => {
    const whole = parseRegression(
      await readFile(join(frozen, 'label-out-of-sight.json'), 'utf8'),
      'label-out-of-sight.json',
    );
    const differences: readonly FuzzFinding[] = [
      {
        aspect: 'frames',
        between: 'model and switch',
        summary: 'a frame that came once',
        expected: 'nothing',
        actual: 'a frame',
      },
    ];
    t.same(await shrinkFinding(sides, whole, { ...(await judgeCase(sides, whole)), differences }), {
      smallest: whole,
      differences,
    });
  }),
);
