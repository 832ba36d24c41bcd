/**
 * Goal: switch and model are as `flowbed openflow-conformance` says, a switch that differs is
 * reported from one that does not, and both hold the same program. Method: all cases that are no
 * streams, and some that are; then some with a fault on the wire; the messages of some, read back
 * from the switch, beside the text that the model gets.
 */
import t from 'tap';
import { openImage } from '../../images/images.js';
import type { SwitchStep } from '../domain/switching.js';
import { parseBridgeFlows } from '../openflow/bridge-program.js';
import { parseFlow, printFlow } from '../openflow/flows/flow.js';
import { openSim } from '../testbeds/sim/sim.js';
import { type OvsSwitches } from '../testbeds/ovs-switches.js';
import { readCorpus, type Case } from './corpus.js';
import { messagesOf } from './messages.js';
import { playCase, type CaseResult } from './play-case.js';
import { bridge, emptyProgram, node, planOf, programOf } from './program.js';

const image = await openImage('trixie', (line) => t.comment(line));
const corpus = readCorpus();
const isStreamed = ({ name }: Case) => /^(group|meter)/.test(name);

async function withSwitch<T>(
  work: (sim: OvsSwitches) => Promise<T>,
  wire?: (step: SwitchStep) => SwitchStep,
): Promise<T> {
  const sim = await openSim(
    { nodes: [planOf(emptyProgram)] },
    image,
    wire === undefined ? {} : { wire },
  );
  try {
    return await work(sim);
  } finally {
    await sim.close();
  }
}

async function play(
  cases: readonly Case[],
  wire?: (step: SwitchStep) => SwitchStep,
): Promise<readonly CaseResult[]> {
  return await withSwitch(async (sim) => {
    const results: CaseResult[] = [];
    for (const played of cases) results.push(await playCase(sim, played));
    return results;
  }, wire);
}

const called = (...names: readonly string[]) => corpus.filter(({ name }) => names.includes(name));
const inWords = ({ name, switch: real, model }: CaseResult) =>
  `${name} ${real.kind}${'why' in real ? ' known' : ''} ${model.kind}`;

void t.test('all that are no streams', async (t) => {
  const results = await play(corpus.filter((played) => !isStreamed(played)));
  const odd = results.filter(
    ({ switch: real, model }) =>
      (real.kind === 'unexpected' && real.why === undefined) ||
      model.kind !== (real.kind === 'rejected' ? 'refuses' : 'agrees'),
  );
  t.strictSame(odd, []);
  t.strictSame(
    ['as-expected', 'unexpected', 'rejected'].map(
      (kind) => results.filter(({ switch: real }) => real.kind === kind).length,
    ),
    [694, 5, 241],
  );
});

void t.test('streams', async (t) => {
  const results = await play(
    called(
      'group/00_ALL 1',
      'group/01_SELECT_Ether 1',
      'group/01_SELECT_Weight_IP 2',
      'meter/01_DROP_01_PKTPS_00_100 1',
      'meter/01_DROP_00_KBPS_01_10M 2',
      'meter/02_DSCP_REMARK_01_PKTPS_00_100 1',
    ),
  );
  t.strictSame(results.map(inWords), [
    'group/00_ALL 1 as-expected agrees',
    'group/01_SELECT_Ether 1 unexpected known agrees',
    'group/01_SELECT_Weight_IP 2 as-expected agrees',
    'meter/01_DROP_00_KBPS_01_10M 2 as-expected agrees',
    'meter/01_DROP_01_PKTPS_00_100 1 as-expected agrees',
    'meter/02_DSCP_REMARK_01_PKTPS_00_100 1 rejected refuses',
  ]);
});

void t.test(
  'what is refused is reported in the words of the switch, and of the model',
  async (t) => {
    const results = await play(
      called(
        'action/27_POP_PBB 1',
        'action/25_SET_FIELD/05_ETH_TYPE 1',
        'match/37_PBB_ISID 1',
        'meter/02_DSCP_REMARK_01_PKTPS_00_100 1',
      ),
    );
    t.strictSame(
      results.map(({ switch: real, model }) => [
        real.kind === 'rejected' ? real.error : '',
        model.kind === 'refuses' ? model.why : '',
      ]),
      [
        ['OFPBAC_BAD_SET_ARGUMENT', 'eth_type cannot be written'],
        ['OFPBAC_BAD_TYPE', 'unknown action "pop_pbb"'],
        ['OFPBMC_BAD_FIELD', 'unknown field "pbb_isid"'],
        [
          'OFPMMFC_BAD_BAND, OFPMMFC_INVALID_METER',
          'the bands of a userspace datapath drop, and do nothing else',
        ],
      ],
    );
  },
);

void t.test('a fault on the wire', async (t) => {
  const cases = called(
    'action/00_OUTPUT 1',
    'match/02_METADATA 2',
    'match/02_METADATA 3',
    'action/19_PUSH_MPLS 2',
  );
  const lost = await play(cases, () => ({ outputs: [], packetIns: [] }));
  t.strictSame(lost.map(inWords), [
    'action/00_OUTPUT 1 unexpected differs',
    'action/19_PUSH_MPLS 2 unexpected differs',
    'match/02_METADATA 2 unexpected differs',
    'match/02_METADATA 3 as-expected agrees',
  ]);
  const changed = await play(cases, ({ outputs, packetIns = [] }) => ({
    outputs: outputs.map((output) => ({ ...output, frame: output.frame.with(0, 1) })),
    packetIns: packetIns.map((packetIn) => ({ ...packetIn, frame: packetIn.frame.with(0, 1) })),
  }));
  t.strictSame(changed.map(inWords), lost.map(inWords));
});

void t.test('the switch holds what the model gets', async (t) => {
  const accepted = corpus
    .filter(
      ({ name }, index) =>
        index % 7 === 0 && !/PBB|_EXTHDR|COPY_TTL|ETH_TYPE|IP_PROTO|MPLS_BOS|REMARK/.test(name),
    )
    .filter(({ prerequisite }) => !JSON.stringify(prerequisite).includes('Pbb'));
  t.ok(accepted.length > 80, `${accepted.length} cases`);
  await withSwitch(async (sim) => {
    for (const played of accepted) {
      await sim.send(node, bridge, 'OpenFlow13', messagesOf(played.prerequisite));
      const [held] = await sim.program();
      const [plan] = planOf(programOf(played)).bridges;
      t.strictSame(
        held?.flows.map((line) => printFlow(parseFlow(line))).sort(),
        plan === undefined ? [] : parseBridgeFlows(node, plan).map(printFlow).sort(),
        played.name,
      );
    }
  });
});
