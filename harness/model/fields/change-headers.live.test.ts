/**
 * Goal: tags and labels are pushed, popped and written as a real switch does it, in all three
 * versions. Method: random frames, and for each a flow of random header actions with outputs among
 * them; what comes out is compared, twice (the second time the switch answers from its cache).
 * SEED=n for others than those of the last run, SUITE=trixie for one version.
 */
import t from 'tap';
import { openImage } from '../../../images/images.js';
import { InputError, Unsupported } from '../../base/errors/errors.js';
import { randomFor, type Random } from '../../base/random.js';
import type { NodePlan } from '../../domain/plan/cluster-plan.js';
import type { SwitchStep } from '../../domain/switching.js';
import { fieldCalled, type Field } from '../../openflow/match/fields.js';
import { extract } from '../../packet/flow-key/extract/extract.js';
import { countTags, isIp, isMpls, keyWords, word } from '../../packet/flow-key/flow-key.js';
import { openSim } from '../../testbeds/sim/sim.js';
import { anyFrame, pick } from '../testkit/arbitrary-frame.js';
import type { HeaderChange } from './change-headers.js';
import { buildNode } from '../build-node.js';
import { receiveFrame } from '../receive-frame.js';

const seed = Number(process.env['SEED'] ?? 1);
const suites = (process.env['SUITE'] ?? 'bookworm,trixie,sid').split(',');
const frames = Number(process.env['FRAMES'] ?? 250);

type Step =
  | HeaderChange
  | { readonly kind: 'set'; readonly field: Field; readonly value: number }
  | { readonly kind: 'dec_ttl' }
  | { readonly kind: 'output' };

/**
 * What the switch knows of a packet when it takes a flow in: it allows no action that such packets
 * have no use for.
 */
interface Known {
  readonly type: number;
  readonly tags: number;
}

function someStep(random: Random, { type, tags }: Known): Step {
  const set = (name: string, values: readonly number[]): Step => ({
    kind: 'set',
    field: fieldCalled(name),
    value: pick(random, values),
  });
  const always: readonly (() => Step)[] = [
    () => ({ kind: 'output' }),
    () => ({ kind: 'output' }),
    () => ({ kind: 'push_mpls', type: pick(random, [0x8847, 0x8847, 0x8848]) }),
    () => set('vlan_tci', [0, 0x1005, 0xf006, 0x3000]),
    () => set('eth_dst', [9]),
  ];
  const labels: readonly (() => Step)[] = [
    () => ({ kind: 'pop_mpls', type: pick(random, [0x0800, 0x86dd, 0x0806, 0x88b5]) }),
    () => ({ kind: 'pop_mpls', type: pick(random, [0x0800, 0x8847, 0x8848]) }),
    () => ({ kind: 'dec_mpls_ttl' }),
    () => set('mpls_label', [0, 16, 0xfffff]),
    () => set('mpls_tc', [0, 5]),
    () => set('mpls_ttl', [0, 1, 64]),
  ];
  const ip: readonly (() => Step)[] = [
    () => set('nw_ttl', [9]),
    () => set('nw_tos', [0xb8]),
    () => ({ kind: 'dec_ttl' }),
  ];
  return pick(random, [
    ...always,
    ...(isMpls(type) ? [...labels, ...labels] : []),
    ...(isIp(type) ? ip : []),
    ...(tags > 0
      ? [() => ({ kind: 'pop_vlan' }) as const, () => ({ kind: 'pop_vlan' }) as const]
      : []),
    ...(tags < 2
      ? [() => ({ kind: 'push_vlan', type: pick(random, [0x8100, 0x88a8]) }) as const]
      : []),
  ])();
}

function after(step: Step, { type, tags }: Known): Known {
  switch (step.kind) {
    case 'push_mpls':
    case 'pop_mpls':
      return { type: step.type, tags };
    case 'push_vlan':
      return { type, tags: tags + 1 };
    case 'pop_vlan':
      return { type, tags: tags - 1 };
    default:
      return { type, tags };
  }
}

function someSteps(random: Random, start: Known): readonly Step[] {
  const steps: Step[] = [];
  let known = start;
  for (let left = random.integer(1, 8); left > 0; left--) {
    const step = someStep(random, known);
    steps.push(step);
    known = after(step, known);
  }
  return [...steps, { kind: 'output' }];
}

const textOf = (step: Step): string => {
  switch (step.kind) {
    case 'push_vlan':
    case 'push_mpls':
    case 'pop_mpls':
      return `${step.kind}:0x${step.type.toString(16)}`;
    case 'set':
      return `load:${step.value}->${step.field.nxm}[]`;
    case 'output':
      return 'output:2';
    case 'pop_vlan':
    case 'dec_mpls_ttl':
    case 'dec_ttl':
      return step.kind;
  }
};

/** So that Open vSwitch allows what follows: it asks for a match on what is popped and written. */
function matchOf({ type, tags }: Known): string {
  return [
    ...(tags === 0 ? [] : ['vlan_tci=0x1000/0x1000']),
    `dl_type=0x${type.toString(16).padStart(4, '0')}`,
  ].join(',');
}

const describe = ({ outputs }: SwitchStep): string =>
  outputs.map(({ frame }) => Buffer.from(frame).toString('hex')).join('\n') || 'nothing';
const ports = [1, 2].map((ofport) => ({ kind: 'endpoint' as const, name: `p${ofport}`, ofport }));
const plan = (flows: readonly string[]): NodePlan => ({
  node: 'n1',
  bridges: [{ name: 'br0', mac: '02:00:00:00:00:fe', flows, ports }],
  hosts: [],
});

for (const suite of suites) {
  void t.test(`${suite} and the model push, pop and write the same`, async (t) => {
    const image = await openImage(suite, (line) => t.comment(line));
    const sim = await openSim({ nodes: [plan([])] }, image);
    t.teardown(() => sim.close());
    const random = randomFor(seed, `headers ${suite}`);
    const seen = { compared: 0, sent: 0, rejected: 0, refused: new Map<string, number>() };
    const send = async (frame: Uint8Array): Promise<SwitchStep> =>
      (await sim.call([{ kind: 'receive', node: 'n1', port: 'p1', frames: [frame] }]))[0]!;
    for (let index = 0; index < frames; index++) {
      const frame = anyFrame(random);
      const key = new Uint32Array(keyWords);
      extract(frame, key);
      const known = { type: key[word.ethType] ?? 0, tags: countTags(key) };
      const steps = someSteps(random, known);
      const flow = `${matchOf(known)},actions=${steps.map(textOf).join(',')}`;
      try {
        const model = buildNode(plan([flow]));
        await sim.bundle('n1', 'br0', ['flow delete', `flow add ${flow}`]);
        const expected = describe(receiveFrame(model, 'p1', frame).step);
        for (const time of ['cold', 'cached']) {
          const found = describe(await send(frame));
          seen.compared++;
          if (found !== 'nothing') seen.sent++;
          if (found === expected) continue;
          t.equal(found, expected, `${time}: ${flow}\n${Buffer.from(frame).toString('hex')}`);
          return;
        }
      } catch (error) {
        if (error instanceof InputError) seen.rejected++;
        else if (error instanceof Unsupported)
          seen.refused.set(error.message, (seen.refused.get(error.message) ?? 0) + 1);
        else throw error;
      }
    }
    t.ok(
      seen.sent > frames / 4,
      `${seen.compared} compared, ${seen.sent} sent something; ${seen.rejected} flows are ` +
        'none to Open vSwitch',
    );
    t.comment(
      [...seen.refused].map(([words, times]) => `refused ${times} times: ${words}`).join('\n'),
    );
  });
}
