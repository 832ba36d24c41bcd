/**
 * Goal: a path that is slower than predicted is found, and a quiet one is not, and noise decides
 * nothing. Method: synthetic trials of reference paths and of a path, with known needs; twenty
 * quiet runs, runs with a fault, and runs on a machine that others use.
 */
import t from 'tap';
import { randomFor } from '../../base/random.js';
import { fitWork, needOf, predictRatio, type ReferenceSamples, type UnitWork } from './fit-work.js';
import { judgeRatio } from './judge-ratio.js';
import { pairedRatio } from './paired-ratio.js';

const kinds = ['outputs', 'conntrack', 'encapsulations'];
const truth = { outputs: 3000, conntrack: 1500, encapsulations: 4000 };
const works = {
  plain: { outputs: 1 },
  tracked: { outputs: 1, conntrack: 1 },
  thrice: { outputs: 1, conntrack: 3 },
  tunnel: { outputs: 2, encapsulations: 1 },
} as const;
const path = { outputs: 2, conntrack: 2, encapsulations: 1 };

const sample = (ns: number) => ({ ns, counted: { polls: 0, probes: 0 } });
const ratioBy = (coefficients: UnitWork) => {
  const value = needOf(coefficients, path) / needOf(coefficients, works.plain);
  return { value, low: value, high: value };
};

function machine(seed: number, noise: number) {
  const random = randomFor(seed, 'a machine');
  const uniform = () => random.integer(1, 1 << 20) / (1 << 20);
  const noisy = (value: number) => value * Math.exp(noise * (uniform() + uniform() - 1) * 2);
  const references: readonly ReferenceSamples[] = Object.entries(works).map(([name, work]) => ({
    path: name,
    work,
    samples: Array.from({ length: 5 }, () => sample(noisy(needOf(truth, work)))),
  }));
  return {
    uniform,
    judge: (slower: number) => {
      const turns = Array.from({ length: 8 }, () => ({
        baseline: noisy(needOf(truth, works.plain)),
        path: noisy(slower * needOf(truth, path)),
      }));
      const predicted = predictRatio(kinds, references, ratioBy, uniform);
      return judgeRatio(pairedRatio(turns), predicted).kind;
    },
  };
}

void t.test('what each kind needs is found again', (t) => {
  const references = Object.entries(works).map(([name, work]) => ({
    path: name,
    work,
    samples: [sample(needOf(truth, work))],
  }));
  const { coefficients, residuals } = fitWork(kinds, references);
  for (const [kind, need] of Object.entries(truth))
    t.ok(Math.abs((coefficients[kind] ?? 0) / need - 1) < 1e-3, kind);
  t.ok(residuals.every(({ relative }) => Math.abs(relative) < 1e-3));
  const cheaper = references.map((one) => ({
    ...one,
    samples: one.path === 'tracked' ? [sample(1)] : one.samples,
  }));
  t.ok(
    Object.values(fitWork(kinds, cheaper).coefficients).every((need) => need >= 0),
    'none is negative',
  );
  t.end();
});

void t.test('what is counted is no work of the model', (t) => {
  const counts = [
    { polls: 3, probes: 9 },
    { polls: 4, probes: 2 },
    { polls: 7, probes: 5 },
    { polls: 12, probes: 1 },
    { polls: 3, probes: 60 },
  ];
  const all = [...Object.entries(works), ['masks', works.plain] as const];
  const references = all.map(([name, work], at) => {
    const { polls = 0, probes = 0 } = counts[at] ?? {};
    const ns = needOf(truth, work) + 700 * polls + 90 * probes;
    return { path: name, work, samples: [{ ns, counted: { polls, probes } }] };
  });
  const { coefficients } = fitWork(kinds, references);
  for (const [kind, need] of Object.entries({ ...truth, polls: 700, probes: 90 }))
    t.ok(Math.abs((coefficients[kind] ?? 0) / need - 1) < 0.02, `${kind} ${coefficients[kind]}`);
  t.end();
});

void t.test('twenty quiet runs raise nothing', (t) => {
  for (let seed = 1; seed <= 20; seed++) t.equal(machine(seed, 0.05).judge(1), 'conforms');
  t.end();
});

void t.test('twice as slow, and twice as fast, is found', (t) => {
  for (let seed = 1; seed <= 20; seed++) {
    t.equal(machine(seed, 0.05).judge(2), 'slower than the model allows');
    t.equal(machine(seed, 0.05).judge(0.5), 'faster than the model allows');
  }
  t.end();
});

void t.test('noise makes no wrong verdict', (t) => {
  for (let seed = 1; seed <= 50; seed++) {
    const kind = machine(seed, 0.8).judge(1);
    t.ok(['conforms', 'inconclusive: too noisy'].includes(kind), kind);
  }
  t.match(judgeRatio({ value: 1, low: 0, high: Infinity }, { value: 1, low: 1, high: 1 }), {
    kind: 'inconclusive: too noisy',
    why: /what was measured lies between 0.00 and Infinity/,
  });
  t.match(judgeRatio({ value: 1, low: 1, high: 1 }, { value: 1, low: 0.5, high: 2 }), {
    why: /the prediction lies between/,
  });
  for (const value of [0.3, 9])
    t.match(
      judgeRatio({ value, low: value, high: value }, { value: 2, low: 1.4, high: 3.4 }),
      { kind: 'inconclusive: too noisy', why: /the prediction lies between 1.40 and 3.40/ },
      'a prediction that says little convicts nobody',
    );
  t.end();
});

void t.test('a prediction that says little convicts what is far away', (t) => {
  const predicted = { value: 5.38, low: 4.53, high: 7.02 };
  const judge = (low: number, high: number) =>
    judgeRatio({ value: (low + high) / 2, low, high }, predicted).kind;
  t.equal(judge(71.13, 89.09), 'slower than the model allows');
  t.equal(judge(12, 13), 'inconclusive: too noisy');
  t.equal(judge(12.6, 13), 'slower than the model allows');
  t.equal(judge(2.6, 3), 'inconclusive: too noisy');
  t.equal(judge(2, 2.5), 'faster than the model allows');
  t.end();
});
