/**
 * Goal: addresses that NORMAL has learned age, move and make room for others as on a real switch,
 * to the millisecond, in all three versions. Method: a small table with a short age; seeded frames
 * and times; what comes out and what is remembered after each. SEED=n for others, SUITE=trixie for
 * one version.
 */
import t from 'tap';
import { openImage } from '../../../images/images.js';
import { randomFor, type Random } from '../../base/random.js';
import type { NodePlan } from '../../domain/plan/cluster-plan.js';
import type { SwitchCall } from '../../domain/switching.js';
import type { SwitchState } from '../../domain/switch-state.js';
import { openModel } from '../../testbeds/model/model-testbed.js';
import { openSim } from '../../testbeds/sim/sim.js';
import { Unsupported } from '../../base/errors/errors.js';
import { pick } from '../testkit/arbitrary-frame.js';

const seed = Number(process.env['SEED'] ?? 1);
const suites = (process.env['SUITE'] ?? 'bookworm,trixie,sid').split(',');
const rounds = Number(process.env['ROUNDS'] ?? 120);
const node = 'n1';
const plan: NodePlan = {
  node,
  hosts: [],
  bridges: [
    {
      name: 'br0',
      mac: '02:00:00:00:00:fe',
      macTable: { ageingS: 15, size: 5 },
      ports: [1, 2, 3].map((ofport) => ({ kind: 'endpoint', name: `p${ofport}`, ofport })),
      flows: ['actions=NORMAL'],
    },
  ],
};

/**
 * How many addresses there are, and how much time passes: first they age, then they are too many.
 */
interface Phase {
  readonly addresses: number;
  readonly steps: readonly number[];
}

const few: Phase = { addresses: 6, steps: [1, 400, 999, 1000, 4001, 7000, 13_999, 14_001] };
const many: Phase = { addresses: 40, steps: [1, 400, 1000] };

function someFrame(random: Random, { addresses }: Phase): Uint8Array {
  const someAddress = () => `0a00000000${String(random.integer(1, addresses)).padStart(2, '0')}`;
  const host = `0000000${random.integer(1, 3)}`;
  const arp =
    `0806000108000604000${random.integer(1, 2)}0a0000000001${host}` +
    `0a0000000002${pick(random, [host, '00000009'])}`;
  return Buffer.from(
    `${pick(random, [someAddress(), someAddress(), 'ffffffffffff'])}${someAddress()}${pick(random, ['88b500112233', arp])}`,
    'hex',
  );
}

function nextCall(random: Random, phase: Phase): SwitchCall {
  if (random.integer(0, 3) === 0) return { kind: 'advance', node, ms: pick(random, phase.steps) };
  return {
    kind: 'receive',
    node,
    port: `p${random.integer(1, 3)}`,
    frames: [someFrame(random, phase)],
  };
}

const learned = ({ macs }: SwitchState) => macs.map(({ port, mac }) => `${mac} ${port}`).sort();

for (const suite of suites) {
  void t.test(`learned addresses on ${suite}`, async (t) => {
    const sim = await openSim({ nodes: [plan] }, await openImage(suite, (line) => t.comment(line)));
    t.teardown(() => sim.close());
    const model = openModel({ nodes: [plan] }, sim.versions);
    const random = randomFor(seed, `macs ${suite}`);
    const met = { aged: 0, evicted: 0, refused: 0, compared: 0 };
    for (let round = 0; round < rounds; round++) {
      const call = nextCall(random, round < rounds / 2 ? few : many);
      const before = learned(await model.state());
      const predicted = await model.call([call]).catch((error: unknown) => {
        if (error instanceof Unsupported) return undefined;
        throw error;
      });
      if (predicted === undefined) {
        met.refused++;
        for (const testbed of [model, sim]) await testbed.reset();
        continue;
      }
      const seen = await sim.call([call]);
      await sim.counts(); // An address that moves shows in the datapath's cache some time after.
      const ports = (steps: typeof seen) =>
        steps.flatMap(({ outputs }) => outputs.map(({ port }) => port)).sort();
      const [expected, found] = [learned(await model.state()), learned(await sim.state())];
      met.compared++;
      if (expected.length < before.length) met.aged++;
      const addresses = expected.map((entry) => entry.slice(0, 17));
      if (
        call.kind === 'receive' &&
        before.some((entry) => !addresses.includes(entry.slice(0, 17)))
      )
        met.evicted++;
      t.strictSame(ports(seen), ports(predicted), `round ${round} of seed ${seed}: ${call.kind}`);
      t.strictSame(
        found,
        expected,
        `remembered in round ${round} of seed ${seed}: ` +
          JSON.stringify({ ...call, frames: undefined }),
      );
      if (!t.passing()) return;
    }
    t.ok(met.aged > 1 && met.evicted > 4 && met.compared > rounds / 2, JSON.stringify(met));
  });
}
