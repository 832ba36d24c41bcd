/**
 * Goal: the same seed gives the same trace, twenty times in a row, each time on switches brought up
 * again; another seed gives another. Method: vectors of every kind of antrea/encap; where two
 * traces differ, the first event that does is named.
 */
import { deepStrictEqual } from 'node:assert/strict';
import t from 'tap';
import { openImage } from '../../images/images.js';
import encap from '../../scenarios/antrea/encap.js';
import { openSim } from '../testbeds/sim/sim.js';
import { runScenario } from './run-scenario.js';

const image = await openImage('trixie', (line) => t.comment(line));
const ids = [
  'ping/p1/p2',
  'ping/p1/p4',
  'udp/p5/p2',
  'ping/n1/p4',
  'ttl-2/p1/p4',
  'ttl-3/p4/p1',
  'arp/p1/n2',
  'spoof-arp-mac/p1',
  'unknown/p1/own-subnet',
  'broadcast/p1',
];
const timesInARow = 20;

/** The trace hash, and what came out of the switches, call by call. */
async function run(
  seed: number,
): Promise<{ readonly traceHash: string; readonly events: readonly string[] }> {
  const events: string[] = [];
  const { report } = await runScenario(
    encap,
    { nodes: '2', tunnel: 'geneve' },
    {
      seed,
      nowMs: () => 0,
      only: ({ id }) => ids.includes(id),
      openReal: async (plan) => {
        const sim = await openSim(plan, image);
        return {
          ...sim,
          call: async (calls) => {
            const steps = await sim.call(calls);
            events.push(
              ...calls.map(
                (call, index) =>
                  `${call.kind} ${call.node} ` +
                  `${call.kind === 'receive' ? call.port : call.kind === 'advance' ? call.ms : ''}: ` +
                  steps[index]?.outputs
                    .map(({ port, frame }) => `${port} ${Buffer.from(frame).toString('hex')}`)
                    .join(', '),
              ),
            );
            return steps;
          },
        };
      },
    },
  );
  deepStrictEqual(
    report.vectors.map(({ id, verdict }) => `${id} ${verdict}`).sort(),
    ids.map((id) => `${id} conforms`).sort(),
  );
  return { traceHash: report.traceHash, events };
}

void t.test(`the same trace ${timesInARow} times in a row`, async (t) => {
  const first = await run(1);
  for (let time = 2; time <= timesInARow; time++) {
    const { traceHash, events } = await run(1);
    const divergence = events.findIndex((event, index) => event !== first.events[index]);
    if (divergence >= 0)
      t.fail(
        `run ${time} parts from the first at call ${divergence}: ${events[divergence]}, and not ` +
          first.events[divergence],
      );
    t.equal(traceHash, first.traceHash, `run ${time}`);
  }
  t.ok(first.events.length > 50, `${first.events.length} calls`);
});

void t.test('the same trace on several clusters at once', async (t) => {
  const hash = async (shards: number) =>
    (
      await runScenario(
        encap,
        { nodes: '2', tunnel: 'geneve' },
        {
          seed: 1,
          maxShards: shards,
          depth: 'cold',
          nowMs: () => 0,
          openReal: (plan) => openSim(plan, image),
        },
      )
    ).report.traceHash;
  t.equal(await hash(3), await hash(1));
});

void t.test('another seed, another trace', async (t) => {
  const [one, two] = [await run(1), await run(2)];
  t.not(one.traceHash, two.traceHash);
});
