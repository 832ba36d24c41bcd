// Goal: the trace hash stands for what was observed and for nothing else, and what comes out late
// is reported where it belongs. Method: one vector of antrea/encap with a second model as its
// switches, which reports the same in another order, or one thing otherwise.
import t from 'tap';
import encap from '../../../scenarios/antrea/encap.js';
import { sha256 } from '../../base/files/digest.js';
import { Disturbed, Unavailable } from '../../base/errors/errors.js';
import type { Switches } from '../../testbeds/testbed.js';
import type { ScenarioReport } from '../records/run-report.js';
import { runScenario } from '../run-scenario.js';
import { openModelSwitches } from '../../testbeds/model/model-switches.js';

async function run(stand: (model: Switches) => Partial<Switches>): Promise<ScenarioReport> {
  const { report } = await runScenario(
    encap,
    { nodes: '2', tunnel: 'geneve' },
    {
      seed: 1,
      nowMs: () => 0,
      only: ({ id }) => id === 'ping/p1/p4',
      openReal: (plan) => {
        const switches = openModelSwitches(plan);
        return Promise.resolve({ ...switches, ...stand(switches) });
      },
    },
  );
  return report;
}

void t.test('the trace hash', async (t) => {
  const {
    traceHash,
    vectors: [vector],
  } = await run(() => ({}));
  t.equal(vector?.inconclusive, undefined, 'nothing is missing');
  const reversed = await run((model) => ({
    counts: async () => [...(await model.counts())].reverse(),
    state: async () => {
      const { connections, macs } = await model.state();
      return { connections: connections.toReversed(), macs: macs.toReversed() };
    },
  }));
  t.equal(reversed.traceHash, traceHash, 'the order in which switches report says nothing');
  t.equal(reversed.verdict, 'conforms');
  const more = await run((model) => ({
    counts: async () => [
      ...(await model.counts()),
      {
        flow: { node: 'n1', bridge: 'br-int', table: 200, priority: 1, match: 'ip' },
        packets: 0,
        bytes: 0,
      },
    ],
  }));
  t.equal(more.traceHash, traceHash, 'nor a flow that counted nothing');
  const counted = async (by: number) =>
    (
      await run((model) => ({
        counts: async () =>
          (
            await model.counts()
          ).map((count) => (count.packets > 0 ? { ...count, packets: count.packets + by } : count)),
      }))
    ).traceHash;
  t.notSame(await counted(1), traceHash, 'how often flows counted does');
  const forgetful = await run((model) => ({
    state: async () => ({ ...(await model.state()), macs: [] }),
  }));
  t.notSame(forgetful.traceHash, traceHash, 'and what is remembered');
  const gone = await run(() => ({ state: () => Promise.reject(new Unavailable('gone')) }));
  t.equal(gone.traceHash, sha256(''), 'where there is no verdict nothing was observed');
});

void t.test('switches that were disturbed go on with the next vector', async (t) => {
  const ids = ['ping/p1/p4', 'ping/p4/p1', 'udp/p1/p4'];
  /** Frames are lost from the `nth` reset on, and it is reported with the counts. */
  const disturbedAt = async (nth: number, error: Unavailable) =>
    await runScenario(
      encap,
      { nodes: '2', tunnel: 'geneve' },
      {
        seed: 1,
        nowMs: () => 0,
        only: ({ id }) => ids.includes(id),
        depth: 'cold',
        openReal: (plan) => {
          const model = openModelSwitches(plan);
          let resets = 0;
          let isDisturbed = false;
          return Promise.resolve({
            ...model,
            reset: async () => {
              isDisturbed = false;
              resets++;
              await model.reset();
            },
            call: async (calls) => {
              isDisturbed = resets === nth;
              const steps = await model.call(calls);
              return isDisturbed ? steps.map(() => ({ outputs: [] })) : steps;
            },
            assertUndisturbed: () => (isDisturbed ? Promise.reject(error) : Promise.resolve()),
          });
        },
      },
    );
  const verdicts = async (nth: number, error: Unavailable) =>
    (await disturbedAt(nth, error)).report.vectors.map(
      ({ verdict, inconclusive }) => inconclusive?.cause ?? verdict,
    );
  t.strictSame(await verdicts(2, new Disturbed('disturbed')), [
    'conforms',
    'disturbed',
    'conforms',
  ]);
  t.strictSame(await verdicts(3, new Disturbed('disturbed')), [
    'conforms',
    'conforms',
    'disturbed',
  ]);
  t.strictSame(
    await verdicts(2, new Unavailable('gone')),
    ['conforms', 'gone', 'gone'],
    'those that failed do not',
  );
});

void t.test('what comes out late belongs to the last pass, and to no instant of it', async (t) => {
  const {
    vectors: [vector],
  } = await run(() => ({
    lateFrames: () => Promise.resolve([{ node: 'n2', port: 'br-phys', frame: new Uint8Array(60) }]),
  }));
  t.match(
    vector?.differences.map(({ pass, summary }) => `${pass}: ${summary}`),
    ['sibling: an unexpected frame went out of br-phys on n2 at 311 µs'],
  );
  let calls = 0;
  const {
    vectors: [lost],
  } = await run((model) => ({
    call: async (asked) =>
      ++calls < 8 ? model.call(asked) : (await model.call(asked)).map(() => ({ outputs: [] })),
    lateFrames: () => Promise.resolve([{ node: 'n2', port: 'br-phys', frame: new Uint8Array(60) }]),
  }));
  t.match(
    lost?.differences.map(({ pass, summary }) => `${pass}: ${summary}`),
    [
      'cold: a frame is missing out of p1-f64551 on n1 at 310 µs',
      'cold: an unexpected frame went out of br-phys on n2 at 311 µs',
      /^cold: on the switch: p1 got no answer/,
    ],
    'behind the last frame that went in, also where nothing came out',
  );
});

void t.test('where switches diverge, their flows are asked for', async (t) => {
  let asked = 0;
  const program = (model: Switches) => ({
    program: () => {
      asked++;
      return model.program();
    },
  });
  await run(program);
  t.equal(asked, 2, 'before the first vector and behind the last');
  asked = 0;
  await run((model) => ({
    ...program(model),
    state: async () => ({ ...(await model.state()), macs: [] }),
  }));
  t.equal(asked, 3, 'and where a vector parts');
});
