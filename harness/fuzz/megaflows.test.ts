/**
 * Goal: a packet that a megaflow is kept for leads to what it would lead to without: frames,
 * packet-ins, steps, counters, and everything that is remembered. Method: random pipelines and
 * sequences are played on two models, one of which keeps megaflows; every packet comes several
 * times, each time with some byte otherwise, or at a port where others come in. The fault: with one
 * word of the masks forgotten, or where packets must not have come from, the two must differ.
 */
import t from 'tap';
import { randomFor, type Random } from '../base/random.js';
import { assert, InputError, Unsupported } from '../base/errors/errors.js';
import { behaviourOf, newest, type Version } from '../model/behaviour.js';
import {
  addBucket,
  emptyHashSubtable,
  type HashSubtable,
} from '../model/tables/classifier/hash-subtable.js';
import { dumpFlows } from '../model/tables/flows/dump-flows.js';
import type { Megaflow } from '../model/megaflow/megaflow.js';
import type { ModelNode } from '../model/model-node.js';
import { buildNode } from '../model/build-node.js';
import { applyCall } from '../model/apply-call.js';
import { stateOf } from '../model/state-of-node.js';
import { receiveFrame } from '../model/receive-frame.js';
import type { Trace } from '../model/trace/trace.js';
import type { ClusterPlan } from '../domain/plan/cluster-plan.js';
import type { SwitchCall, SwitchStep } from '../domain/switching.js';
import { encodeEthernet, etherTypes } from '../packet/protocols/link/ethernet.js';
import { word } from '../packet/flow-key/flow-key.js';
import { encodeIpv4, ipProtocols } from '../packet/protocols/ip/ipv4.js';
import { encodeUdp } from '../packet/protocols/transport/udp.js';
import { callOf, type CaseStep, type FuzzCase } from './fuzz-case.js';
import { drawCase } from './generate/draw-case.js';
import { drawSequence } from './generate/draw-sequence.js';
import { planOf } from './fuzz-network.js';
import { performCall } from './perform-call.js';
import { readCase } from './read-case.js';

const cases = { plain: 14, sequences: 12 } as const;
const variants = 4;
/** Bytes of a frame that are changed: up to where headers of transport end. */
const headerBytes = 60;

const text = (value: unknown) =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'bigint'
      ? String(part)
      : part instanceof Uint8Array
        ? Buffer.from(part).toString('hex')
        : part,
  );

/** The nodes of a case, and what their packets went through. */
interface Side {
  readonly plan: ClusterPlan;
  readonly nodes: readonly ModelNode[];
  readonly traces: Trace[];
}

function sideOf(plan: ClusterPlan, version: Version, flows: 'kept' | 'translated'): Side {
  const built = plan.nodes.map((each) => buildNode(each, version));
  return {
    plan,
    nodes: flows === 'kept' ? built : built.map((each) => ({ ...each, megaflows: undefined })),
    traces: [],
  };
}

async function outcomeOf(work: () => unknown): Promise<string> {
  try {
    return text(await work());
  } catch (error) {
    if (error instanceof Unsupported || error instanceof InputError) return error.message;
    throw error;
  }
}

function play({ plan, nodes, traces }: Side, step: CaseStep): Promise<string> {
  const perform = (call: SwitchCall): Promise<SwitchStep> => {
    const on = nodes.find(({ name }) => name === call.node);
    assert(on !== undefined, 'there is such a node');
    if (call.kind !== 'receive') applyCall(on, call);
    const results =
      call.kind === 'receive' ? call.frames.map((frame) => receiveFrame(on, call.port, frame)) : [];
    traces.push(...results.map(({ trace }) => trace));
    return Promise.resolve({
      outputs: results.flatMap((result) => result.step.outputs),
      packetIns: results.flatMap((result) => result.step.packetIns ?? []),
    });
  };
  return outcomeOf(async () => [
    await performCall(callOf(step), plan, async (call) => await perform(call)),
    traces.splice(0),
  ]);
}

function remembered({ nodes }: Side): Promise<string> {
  return outcomeOf(() =>
    nodes.map((each) => [
      stateOf(each),
      each.bridges.map((bridge) => dumpFlows(bridge, each.nowMs)),
      [...each.neighbours.learned],
    ]),
  );
}

/**
 * Every packet as it is, then with some byte otherwise, as it is at another port, and as it is
 * again.
 */
function varied(steps: readonly CaseStep[], random: Random): readonly CaseStep[] {
  const ports = steps.flatMap((step) => (step.kind === 'packet' ? [step.port] : []));
  return steps.flatMap((step): readonly CaseStep[] => {
    if (step.kind !== 'packet') return [step];
    const elsewhere = { ...step, port: ports[random.integer(0, ports.length - 1)] ?? step.port };
    return [
      step,
      ...Array.from({ length: variants }, () => ({ ...step, frame: changed(step.frame, random) })),
      elsewhere,
      step,
    ];
  });
}

function changed(frame: Uint8Array, random: Random): Uint8Array {
  const copy = frame.slice();
  copy[random.integer(0, Math.min(frame.length, headerBytes) - 1)] = random.integer(0, 255);
  return copy;
}

interface Seen {
  readonly difference: string | undefined;
  readonly hits: number;
  readonly leftOut: readonly (readonly [why: string, count: number])[];
}

/** @param spoil what is done to the megaflows after each step. */
async function compare(
  drawn: FuzzCase,
  version: Version,
  random: Random,
  packets: 'as they are' | 'varied',
  spoil?: (node: ModelNode) => void,
): Promise<Seen> {
  const plan = planOf(readCase(drawn, behaviourOf(version)).accepted);
  const [keeping, plain] = [sideOf(plan, version, 'kept'), sideOf(plan, version, 'translated')];
  const stats = keeping.nodes.flatMap(({ megaflows }) =>
    megaflows === undefined ? [] : [megaflows.stats],
  );
  const seen = (difference: string | undefined): Seen => ({
    difference,
    hits: stats.reduce((sum, { hit }) => sum + hit, 0),
    leftOut: stats.flatMap(({ uncached }) => [...uncached]),
  });
  for (const step of packets === 'varied' ? varied(drawn.steps, random) : drawn.steps) {
    const [actual, expected] = [await play(keeping, step), await play(plain, step)];
    if (actual !== expected) return seen(`${text(step)}: ${actual} and not ${expected}`);
    keeping.nodes.forEach((each) => spoil?.(each));
  }
  const [actual, expected] = [await remembered(keeping), await remembered(plain)];
  return seen(actual === expected ? undefined : `${actual} and not ${expected}`);
}

const drawn: readonly FuzzCase[] = [
  ...Array.from({ length: cases.plain }, (_, index) => drawCase(3, index, behaviourOf(newest))),
  ...Array.from({ length: cases.sequences }, (_, index) => drawSequence(3, index)),
];

for (const version of [[3, 1], newest] as const) {
  void t.test(
    `with megaflows and without it is the same, as ${version.join('.')} has it`,
    async (t) => {
      const [hits, leftOut] = [{ count: 0 }, new Map<string, number>()];
      for (const [index, each] of drawn.entries()) {
        const seen = await compare(each, version, randomFor(index, 'megaflows'), 'varied');
        hits.count += seen.hits;
        for (const [why, count] of seen.leftOut) leftOut.set(why, (leftOut.get(why) ?? 0) + count);
        if (seen.difference !== undefined) t.fail(`case ${index}: ${seen.difference}`);
      }
      t.ok(hits.count > 1000, `${hits.count} translations were kept ones`);
      t.comment([...leftOut].map(([why, count]) => `${why}: ${count}`).join(', '));
    },
  );
}

/** Takes a word out of all masks, so that packets share a megaflow that differ there. */
function forget(place: number): (node: ModelNode) => void {
  const without = (list: Iterable<number>, at: number) =>
    [...list].filter((_, index) => index !== at);
  const wider = (tuple: HashSubtable<Megaflow>): HashSubtable<Megaflow> => {
    const at = tuple.places.indexOf(place);
    if (at < 0) return tuple;
    const made = emptyHashSubtable<Megaflow>(without(tuple.places, at), without(tuple.masks, at));
    for (const first of tuple.buckets.values())
      for (let bucket: typeof first | undefined = first; bucket !== undefined; bucket = bucket.next)
        for (const item of bucket.items) addBucket(made, without(bucket.values, at), item);
    return made;
  };
  return ({ megaflows }) => {
    for (const tables of megaflows?.subtables.values() ?? [])
      for (const tuples of tables.values()) tuples.splice(0, tuples.length, ...tuples.map(wider));
  };
}

const ends = {
  in: '1',
  src: '02:00:00:00:00:0a',
  dst: '02:00:00:00:00:0b',
  from: '10.0.0.1',
  to: '10.0.0.2',
  srcPort: 1,
  dstPort: 2,
  tos: 0,
  ttl: 64,
} as const;
type Ends = {
  readonly [name in keyof typeof ends]: (typeof ends)[name] extends number ? number : string;
};

function packet(other: Partial<Ends>): CaseStep {
  const { in: port, src, dst, from, to, srcPort, dstPort, tos, ttl }: Ends = { ...ends, ...other };
  const addresses = { src: from, dst: to };
  const segment = encodeUdp({ srcPort, dstPort }, new Uint8Array(8), addresses);
  return {
    kind: 'packet',
    port,
    frame: encodeEthernet(
      { src, dst, etherType: etherTypes.ipv4 },
      encodeIpv4({ ...addresses, protocol: ipProtocols.udp, tos, ttl }, segment),
    ),
  };
}

/** Packets of which only one matches, that differ in nothing else that is in a mask. */
const forgotten: readonly (readonly [
  name: keyof typeof word,
  match: string,
  other: Partial<Ends>,
])[] = [
  ['inPort', 'in_port=1', { in: '2' }],
  ['ethSrc', 'dl_src=02:00:00:00:00:0a', { src: '02:00:00:00:00:0c' }],
  ['ethDst', 'dl_dst=02:00:00:00:00:0b', { dst: '02:00:00:00:00:0c' }],
  ['nwSrc', 'ip,nw_src=10.0.0.1', { from: '10.0.0.3' }],
  ['nwDst', 'ip,nw_dst=10.0.0.2', { to: '10.0.0.3' }],
  ['nwTos', 'ip,nw_tos=0', { tos: 4 }],
  ['nwTtl', 'ip,nw_ttl=64', { ttl: 63 }],
  ['tpSrc', 'udp,tp_src=1', { srcPort: 3 }],
  ['tpDst', 'udp,tp_dst=2', { dstPort: 3 }],
];
const deciding = (match: string): FuzzCase => ({
  groups: [],
  flows: [`priority=2,${match} actions=3`, 'priority=1 actions=4'],
  beyond: [],
  steps: [],
});
const first = [
  'priority=2,udp,tp_src=1 actions=load:1->NXM_NX_REG0[],ct(table=1)',
  'priority=1,udp actions=ct(table=1)',
];

const faults: readonly (readonly [name: keyof typeof word, drawn: FuzzCase])[] = [
  ...forgotten.map(
    ([name, match, other]) =>
      [name, { ...deciding(match), steps: [packet({}), packet(other)] }] as const,
  ),
  [
    'reg',
    {
      ...deciding(''),
      flows: [...first, 'table=1,priority=2,reg0=1 actions=3', 'table=1,priority=1 actions=4'],
      steps: [packet({}), packet({ srcPort: 3 })],
    },
  ],
  [
    'ctState',
    {
      ...deciding(''),
      flows: [
        'priority=1,ip actions=ct(commit,table=1)',
        'table=1,priority=2,ct_state=+new,ip actions=3',
        'table=1,priority=1 actions=4',
      ],
      steps: [
        packet({}),
        packet({ from: ends.to, to: ends.from, srcPort: ends.dstPort, dstPort: ends.srcPort }),
      ],
    },
  ],
];

void t.test('where packets must not have come from is noticed', async (t) => {
  const each: FuzzCase = {
    ...deciding(''),
    flows: ['actions=2,3'],
    steps: [packet({}), packet({ in: '2' }), packet({ in: '3' }), packet({ in: '4' })],
  };
  t.match(
    await compare(each, newest, randomFor(0, 'from'), 'as they are'),
    { difference: undefined, hits: 1 },
    'only the last one may go as the first did',
  );
  const forgetting = ({ megaflows }: ModelNode) => {
    for (const tables of megaflows?.subtables.values() ?? [])
      for (const tuples of tables.values())
        for (const { buckets } of tuples)
          for (const { items } of buckets.values())
            items.splice(
              0,
              items.length,
              ...items.map((item) => ({ ...item, excludedInPorts: [] })),
            );
  };
  t.ok(
    (await compare(each, newest, randomFor(0, 'from'), 'as they are', forgetting)).difference,
    'they differ',
  );
});

for (const [name, each] of faults) {
  void t.test(`a mask without ${name} is noticed`, async (t) => {
    const place = word[name] + (name === 'ethSrc' || name === 'ethDst' ? 1 : 0);
    t.equal((await compare(each, newest, randomFor(0, name), 'as they are')).difference, undefined);
    t.ok(
      (await compare(each, newest, randomFor(0, name), 'as they are', forget(place))).difference,
      'they differ',
    );
  });
}
