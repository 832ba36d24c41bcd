/**
 * Goal: model and switches are asked the same until they answer otherwise, in whatever order of
 * ports they answer, and what a host sends follows from seed and vector alone, for ever. Method:
 * both sides are scripts on a wire between two hosts; one answer changed at a time.
 */
import t from 'tap';
import type { Trace } from '../model/trace/trace.js';
import type { ClusterPlan } from '../domain/plan/cluster-plan.js';
import type { HostPlan } from '../domain/plan/host-plan.js';
import type { FlowId, CacheLookups, SwitchCall, SwitchStep } from '../domain/switching.js';
import type { Pass, Stimulus } from '../domain/test-vector.js';
import { dissect } from '../packet/dissect/dissect.js';
import { openModel, type ModelTestbed } from '../testbeds/model/model-testbed.js';
import type { Switches } from '../testbeds/testbed.js';
import { oracleFrom } from './oracle.js';
import { playInLockstep } from './play-in-lockstep.js';
import { withEmulatedHosts } from './emulated-hosts.js';

const host = (name: string, index: number): HostPlan => ({
  name,
  kind: 'pod',
  routes: [],
  interfaces: [
    {
      name: 'eth0',
      port: `port-${name}`,
      mac: `02:00:00:00:00:0${index}`,
      ip: `10.0.0.${index}`,
      prefixLength: 24,
    },
  ],
});
const plan: ClusterPlan = {
  nodes: [
    { node: 'n1', bridges: [], hosts: [host('a', 1), host('b', 2)] },
    { node: 'n2', bridges: [], hosts: [] },
  ],
};
const ping: Stimulus = { kind: 'ping', from: 'a', to: '10.0.0.2' };
const pass = (name: Pass['name'], stimulus: Stimulus = ping): Pass => ({ name, stimulus });

type Script = (call: SwitchCall, nth: number) => SwitchStep['outputs'];
const wire: Script = (call) =>
  call.kind !== 'receive'
    ? []
    : call.frames.map((frame) => ({ port: call.port === 'port-a' ? 'port-b' : 'port-a', frame }));

/** Applies calls as the script says, and counts them from 1. */
function follow(script: Script): (calls: readonly SwitchCall[]) => Promise<readonly SwitchStep[]> {
  let made = 0;
  return (calls) => {
    made++;
    return Promise.resolve(calls.map((call) => ({ outputs: script(call, made) })));
  };
}

/** A model whose trace is one entry a call, named after its number. */
function modelOn(script: Script): ModelTestbed {
  const traces: Trace[] = [];
  const call = follow(script);
  return {
    ...openModel({ nodes: [] }),
    traces: () => [...traces],
    call: (calls) => {
      traces.push({ node: String(traces.length + 1), port: '', steps: [] });
      return call(calls);
    },
  };
}

/** Each call meets the cache three times and misses it once. */
function switchesOn(script: Script): Switches {
  const call = follow(script);
  let lookups: CacheLookups = { hit: 100, missed: 10 };
  return {
    ...openModel({ nodes: [] }),
    lookups: () => lookups,
    assertUndisturbed: () => Promise.resolve(),
    call: (calls) => {
      lookups = { hit: lookups.hit + 3, missed: lookups.missed + 1 };
      return call(calls);
    },
  };
}

const play = (model: Script, real: Script, passes: readonly Pass[] = [pass('cold')]) =>
  playInLockstep(modelOn(model), switchesOn(real), plan, 'x', passes, 1);
const numbers = (traces: readonly Trace[] | undefined) => traces?.map(({ node }) => Number(node));
const frame = (byte: number): Uint8Array => new Uint8Array(60).fill(byte);

void t.test('what is the same answer, and what is not', async (t) => {
  const [a, b, c] = ['a', 'b', 'c'].map((port) => ({ port: `out-${port}`, frame: frame(1) }));
  if (a === undefined || b === undefined || c === undefined) return t.fail('three ports');
  const other = { ...a, frame: frame(2) };
  const same = [
    [[], []],
    [
      [a, b],
      [b, a],
    ],
    [
      [b, a],
      [a, b],
    ],
    [
      [a, b, c],
      [c, b, a],
    ],
    [
      [b, c, a],
      [c, a, b],
    ],
    [
      [a, b, other],
      [b, a, other],
    ],
    [
      [c, a, other, b],
      [b, a, c, other],
    ],
  ] as const;
  const different = [
    [[a], []],
    [[], [a]],
    [[a], [other]],
    [[a], [b]],
    [
      [a, other],
      [other, a],
    ],
    [[a], [a, a]],
    [
      [b, a, other],
      [b, other, a],
    ],
  ] as const;
  const parts = async (model: SwitchStep['outputs'], real: SwitchStep['outputs']) =>
    (
      await play(
        (_, nth) => (nth === 1 ? model : []),
        (_, nth) => (nth === 1 ? real : []),
      )
    ).divergence !== undefined;
  for (const [index, [model, real]] of same.entries())
    t.equal(await parts(model, real), false, `same ${index}`);
  for (const [index, [model, real]] of different.entries())
    t.equal(await parts(model, real), true, `different ${index}`);
  const atSecond: Script = (call) => (call.kind === 'advance' && call.node === 'n2' ? [a] : []);
  t.ok((await play(() => [], atSecond)).divergence, 'one of two nodes answers otherwise');
  return undefined;
});

void t.test('passes: each with its own traces and lookups, up to the one that parts', async (t) => {
  const all = await play(wire, wire, [pass('cold'), pass('again')]);
  t.strictSame(
    all.passes.map(({ traces }) => numbers(traces)),
    [
      [1, 2, 3, 4],
      [5, 6, 7, 8],
    ],
  );
  t.strictSame(
    all.passes.map(({ lookups }) => lookups),
    [
      { hit: 12, missed: 4 },
      { hit: 12, missed: 4 },
    ],
  );
  t.equal(all.divergence, undefined);
  const silent: Script = (call, nth) => (nth === 7 ? [] : wire(call, nth));
  const parted = await play(wire, silent, [pass('cold'), pass('again'), pass('cached')]);
  t.equal(parted.passes.length, 2);
  t.strictSame(
    [numbers(parted.divergence?.traces), numbers(parted.divergence?.earlier)],
    [[7], [1, 2, 3, 4, 5, 6]],
  );
  t.strictSame(
    parted.passes.map(({ model, real }) => [model, real].map(({ notes }) => notes.length)),
    [
      [3, 3],
      [3, 1],
    ],
    'each side goes its own way to its end',
  );
});

void t.test(
  'an oracle says what the switch has counted for the flows it is asked about',
  async (t) => {
    const flow = (table: number): FlowId => ({
      node: 'n1',
      bridge: 'br',
      table,
      priority: 0,
      match: '',
    });
    const { flowCounts: counted } = oracleFrom({
      counts: () =>
        Promise.resolve([
          { flow: flow(2), packets: 4, bytes: 0 },
          { flow: flow(1), packets: 3, bytes: 0 },
        ]),
      state: () => Promise.reject(new Error('nobody asks')),
    });
    t.strictSame(
      await counted([1, 2, 3].map((table) => ({ flow: flow(table), packets: 9, bytes: 0 }))),
      [3, 4, 0],
      'one that nothing is said of did not count',
    );
  },
);

/** A few fields of the nth frame that goes into the switch. */
async function sent(
  stimulus: Stimulus,
  nth: number,
  ...fields: readonly string[]
): Promise<readonly (string | undefined)[]> {
  const observation = await withEmulatedHosts(
    { ...openModel({ nodes: [] }), call: follow(wire) },
    plan,
    { seed: 1, hosts: 'start afresh' },
  ).play('ping/p1/p2', stimulus);
  const values = new Map(
    dissect(
      observation.frames.filter(({ direction }) => direction === 'in')[nth]?.frame ??
        new Uint8Array(),
    ).map(({ name, value }) => [name, value]),
  );
  return fields.map((name) => values.get(name));
}

void t.test('what a sender puts into its frames', async (t) => {
  t.strictSame(await sent(ping, 2, 'ip.identification', 'icmp.identifier', 'payload'), [
    '57243',
    '57243',
    'ffb31fe6fa850808a168cbd8acf09254',
  ]);
  t.strictSame(
    await sent({ kind: 'udp', from: 'a', to: '10.0.0.2', port: 7 }, 2, 'udp.src', 'payload'),
    ['60007', 'ffb31fe6fa850808a168cbd8acf09254'],
  );
  t.strictSame(
    await sent({ kind: 'tcp', from: 'a', to: '10.0.0.2', port: 7 }, 3, 'tcp.sequence', 'tcp.flags'),
    ['1697192792', 'SYN,ACK'],
  );
  t.strictSame(
    await sent({ kind: 'tcp', from: 'a', to: '10.0.0.2', port: 7 }, 2, 'tcp.src', 'tcp.sequence'),
    ['60007', '3996719328'],
  );
});
