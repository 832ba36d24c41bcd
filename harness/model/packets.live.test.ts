/**
 * Goal: the model reads every field of every frame as a real switch does, and writes it as it does,
 * in all three versions. Method: random frames, whole, odd and damaged; flows that match some field
 * with a value that a frame has, or has not, and write another; each frame goes twice through the
 * model and the switch (the second time it finds the switch's cache), and frames and counters are
 * compared. SEED=n for other frames than those of the last run, SUITE=trixie for one version.
 */
import t from 'tap';
import { openImage } from '../../images/images.js';
import { Unsupported } from '../base/errors/errors.js';
import { randomFor, type Random } from '../base/random.js';
import type { NodePlan } from '../domain/plan/cluster-plan.js';
import type { BridgePlan } from '../domain/plan/bridge-plan.js';
import { formatFlowId, type FlowCount, type SwitchStep } from '../domain/switching.js';
import { diffFlows } from '../openflow/flows/diff-flows.js';
import { fields, type Field } from '../openflow/match/fields.js';
import { parseFlow, type Flow } from '../openflow/flows/flow.js';
import type { FieldMatch } from '../openflow/match/field-match.js';
import { allowsField } from '../openflow/match/prerequisites.js';
import { printMatch } from '../openflow/match/print-match.js';
import { printAssigned } from '../openflow/match/masked-values.js';
import { type Masked } from '../openflow/match/masked.js';
import { differingFields } from '../packet/dissect/describe-frame.js';
import { extract } from '../packet/flow-key/extract/extract.js';
import { keyWords, word } from '../packet/flow-key/flow-key.js';
import { openSim } from '../testbeds/sim/sim.js';
import { type OvsSwitches } from '../testbeds/ovs-switches.js';
import { anyFrame, pick } from './testkit/arbitrary-frame.js';
import { protocolContexts, someBits } from './testkit/arbitrary-match.js';
import { readField } from './fields/field-values.js';
import type { ModelNode } from './model-node.js';
import { buildNode } from './build-node.js';
import { flowCounts, receiveFrame } from './receive-frame.js';

const seed = Number(process.env['SEED'] ?? 1);
const suites = (process.env['SUITE'] ?? 'bookworm,trixie,sid').split(',');
const rounds = Number(process.env['ROUNDS'] ?? 60);
const framesARound = 12;
const flowsATable = 12;

const bridge: BridgePlan = {
  name: 'br0',
  mac: '02:00:00:00:00:fe',
  flows: [],
  ports: [1, 2, 3].map((ofport) => ({ kind: 'endpoint', name: `p${ofport}`, ofport })),
};
const plan = (flows: readonly string[]): NodePlan => ({
  node: 'n1',
  bridges: [{ ...bridge, flows }],
  hosts: [],
});

/** Fields of packets, all that a frame fills. */
const ofPackets = fields.filter((row) => row.word >= word.ethSrc && !row.isView);
const deciding = new Set(['eth_type', 'nw_proto']);
/**
 * ovs-ofctl leaves icmp_type behind nd fields to the reader, and nothing but whole tags can be
 * written.
 */
const matchable = ofPackets.filter(({ name }) => !deciding.has(name));
const writable = ofPackets.filter(({ writable: where }) => where === 'anywhere');

function valueIn(frame: Uint8Array, row: Field): bigint {
  const key = new Uint32Array(keyWords);
  extract(frame, key);
  return readField(key, row);
}

/** A value that one of the frames has in the field, or any. */
function someValue(random: Random, row: Field, frames: readonly Uint8Array[]): bigint {
  const other = () => pick(random, [someBits(random, row.bits), 0n, row.ones, 1n]) & row.ones;
  const value = random.integer(0, 99) < 80 ? valueIn(pick(random, frames), row) : other();
  // The presence of a tag is shown by its bit.
  return row.name === 'vlan_tci' && value !== 0n
    ? value | 0x1000n
    : row.name === 'arp_op' && value === 255n
      ? 1n
      : value;
}

function someMask(random: Random, row: Field): bigint {
  if (!row.maskable || random.integer(0, 99) < 60) return row.ones;
  const mask =
    pick(random, [someBits(random, row.bits), 1n << BigInt(random.integer(0, row.bits - 1))]) &
    row.ones;
  // A mask of IPv6 that begins with a digit is read as a length.
  return row.notation === 'ipv6' ? mask | (0xfn << 124n) : mask === 0n ? row.ones : mask;
}

function someMasked(
  random: Random,
  row: Field,
  frames: readonly Uint8Array[],
  use: 'match' | 'write',
): Masked {
  if (row.notation === 'fragment')
    return pick(
      random,
      [
        [0n, 3n],
        [1n, 1n],
        [1n, 3n],
        [3n, 3n],
        [0n, 2n],
      ].map(([value = 0n, mask = 0n]) => ({ value, mask })),
    );
  const value = someValue(random, row, frames);
  const mask =
    row.name === 'vlan_tci'
      ? use === 'write'
        ? row.ones
        : pick(random, [0x1fffn, 0x1000n, 0xf000n, 0xfffn | 0xf000n])
      : someMask(random, row);
  return { value: value & mask, mask };
}

function someFlow(
  random: Random,
  table: number,
  priority: number,
  frames: readonly Uint8Array[],
): string {
  const context = pick(random, protocolContexts);
  const free = matchable.filter(
    (row) => !context.some(({ field }) => field === row) && allowsField(context, row),
  );
  const special = free.filter(
    ({ prerequisite }) => prerequisite !== 'none' && prerequisite !== 'ethernet',
  );
  const row = pick(random, special.length === 0 || random.integer(0, 3) === 0 ? free : special);
  const match =
    random.integer(0, 3) === 0
      ? context
      : [...context, { field: row, ...someMasked(random, row, frames, 'match') }];
  const actions = Array.from({ length: random.integer(0, 2) }, () =>
    someAction(random, match, frames),
  );
  const then =
    table === 0
      ? pick(random, ['output:2,resubmit(,1)', 'goto_table:1', 'goto_table:1'])
      : 'output:2';
  const ordered = fields.flatMap((field) => match.find((entry) => entry.field === field) ?? []);
  return (
    `table=${table}, ` +
    `priority=${[priority, printMatch(ordered)].filter((word) => word !== '').join(',')} ` +
    `actions=${[...actions, then].join(',')}`
  );
}

function someAction(
  random: Random,
  match: readonly FieldMatch[],
  frames: readonly Uint8Array[],
): string {
  const allowed = writable.filter((row) => allowsField(match, row));
  const special = allowed.filter(
    ({ prerequisite }) => prerequisite !== 'none' && prerequisite !== 'ethernet',
  );
  const isIp = match.some(
    ({ field, value }) => field.name === 'eth_type' && (value === 0x0800n || value === 0x86ddn),
  );
  if (isIp && random.integer(0, 9) === 0) return 'dec_ttl';
  const row = pick(random, special.length === 0 || random.integer(0, 3) === 0 ? allowed : special);
  const same = allowed.filter(
    ({ bits, name }) => bits === row.bits && name !== 'arp_op' && name !== 'vlan_tci',
  );
  if (
    random.integer(0, 9) === 0 &&
    same.length > 0 &&
    row.name !== 'arp_op' &&
    row.name !== 'vlan_tci'
  )
    return `move:${pick(random, same).nxm}[]->${row.nxm}[]`;
  return `set_field:${printAssigned(row, someMasked(random, row, frames, 'write'))}->${row.name}`;
}

/** Two tables; what no flow of them is for leaves too. */
function somePipeline(random: Random, frames: readonly Uint8Array[]): readonly string[] {
  return [0, 1].flatMap((table) => [
    ...Array.from({ length: flowsATable }, (_, index) =>
      someFlow(random, table, 100 - index, frames),
    ),
    `table=${table}, priority=0 actions=${table === 0 ? 'goto_table:1' : 'output:3'}`,
  ]);
}

const describe = ({ outputs }: SwitchStep): string =>
  outputs.map(({ port, frame }) => `${port} ${Buffer.from(frame).toString('hex')}`).join('\n') ||
  'nothing';
const counted = (counts: readonly FlowCount[]): string =>
  counts
    .filter(({ packets }) => packets > 0)
    .map(({ flow, packets }) => `${packets} ${formatFlowId(flow)}`)
    .sort()
    .join('\n');

function byField(expected: SwitchStep, found: SwitchStep): string {
  const pairs = expected.outputs.map(
    ({ frame }, index) => [frame, found.outputs[index]?.frame ?? new Uint8Array()] as const,
  );
  return pairs
    .flatMap(([one, other]) =>
      differingFields(one, other).map(
        ({ name, expected: model, actual }) => `${name}: model ${model}, switch ${actual}`,
      ),
    )
    .join('\n');
}

for (const suite of suites) {
  void t.test(`the model and ${suite} read and write the same`, async (t) => {
    const image = await openImage(suite, (line) => t.comment(line));
    const sim = await openSim({ nodes: [plan([])] }, image);
    t.teardown(() => sim.close());
    const random = randomFor(seed, `packets ${suite}`);
    const judge = judgeOf(sim);
    for (let round = 0; round < rounds; round++) {
      const frames = Array.from({ length: framesARound }, () => anyFrame(random));
      const flows = somePipeline(random, frames);
      const found = await judge.difference(flows, frames);
      if (found === undefined) continue;
      t.strictSame(
        (await judge.smallest(flows, frames)).split('\n'),
        [],
        `round ${round} of seed ${seed}`,
      );
      return;
    }
    t.ok(judge.seen.compared > rounds * framesARound, `${judge.seen.compared} frames compared`);
    t.comment(
      [...judge.seen.refusals]
        .map(([words, times]) => `refused ${times} times: ${words}`)
        .join('\n'),
    );
  });
}

/** Compares the model with a running switch. */
function judgeOf(sim: OvsSwitches) {
  let held: readonly Flow[] = [];
  const seen = { compared: 0, refusals: new Map<string, number>() };

  async function difference(
    texts: readonly string[],
    frames: readonly Uint8Array[],
  ): Promise<string | undefined> {
    const desired = texts.map((text) => parseFlow(text));
    await sim.bundle('n1', bridge.name, diffFlows(held, desired));
    held = desired;
    await sim.reset();
    let model = buildNode(plan(texts));
    for (const frame of frames) {
      try {
        const found =
          (await differenceAt(model, frame)) ??
          (await differenceAt(model, frame)) ??
          (await differenceOfCounts(model));
        if (found !== undefined) return `${Buffer.from(frame).toString('hex')}: ${found}`;
      } catch (error) {
        if (!(error instanceof Unsupported)) throw error;
        const words = error.message.replace(/, at a frame into .*/s, '');
        seen.refusals.set(words, (seen.refusals.get(words) ?? 0) + 1);
        model = buildNode(plan(texts));
        await sim.reset();
      }
    }
    return undefined;
  }

  async function differenceAt(model: ModelNode, frame: Uint8Array): Promise<string | undefined> {
    const expected = receiveFrame(model, 'p1', frame).step;
    const [found] = await sim.call([{ kind: 'receive', node: 'n1', port: 'p1', frames: [frame] }]);
    seen.compared++;
    if (found === undefined || describe(found) === describe(expected)) return undefined;
    return (
      `the model sends\n${describe(expected)}\nthe switch ` +
      `sends\n${describe(found)}\n${byField(expected, found)}`
    );
  }

  async function differenceOfCounts(model: ModelNode): Promise<string | undefined> {
    const [expected, found] = [counted(flowCounts(model)), counted(await sim.counts())];
    return found === expected
      ? undefined
      : `the model counts\n${expected}\nthe switch counts\n${found}`;
  }

  /** Leaves out flows and frames for as long as a difference is left. */
  async function smallest(
    flows: readonly string[],
    frames: readonly Uint8Array[],
  ): Promise<string> {
    const differs = async (fewer: readonly string[], less: readonly Uint8Array[]) =>
      (await difference(fewer, less)) !== undefined;
    let [keptFlows, keptFrames] = [flows, frames];
    for (const frame of frames)
      if (
        await differs(
          keptFlows,
          keptFrames.filter((kept) => kept !== frame),
        )
      )
        keptFrames = keptFrames.filter((kept) => kept !== frame);
    for (const flow of flows)
      if (
        await differs(
          keptFlows.filter((kept) => kept !== flow),
          keptFrames,
        )
      )
        keptFlows = keptFlows.filter((kept) => kept !== flow);
    return [...keptFlows, await difference(keptFlows, keptFrames)].join('\n');
  }

  return { difference, smallest, seen };
}
