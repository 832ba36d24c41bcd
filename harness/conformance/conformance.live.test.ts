/**
 * Goal: the conformance cases are played on a real switch and on the model, and a switch that does otherwise is told from one that does
 * not. Method: some cases of each kind, then the same with a fault on the wire. All of them are what `flowbed conformance` plays.
 */
import t from 'tap';
import { openImage } from '../../images/images.js';
import type { SwitchStep } from '../nouns/switching.js';
import { openSim } from '../testbeds/sim/sim.js';
import { readCorpus } from './corpus.js';
import { playCase, type CaseResult } from './play.js';
import { emptyProgram, planOf } from './program.js';

const image = await openImage('trixie', (line) => t.comment(line));
const corpus = readCorpus();

async function play(names: readonly string[], wire?: (step: SwitchStep) => SwitchStep): Promise<readonly CaseResult[]> {
  const sim = await openSim({ nodes: [planOf(emptyProgram)] }, image, wire === undefined ? {} : { wire });
  const results: CaseResult[] = [];
  try {
    for (const played of corpus.filter(({ name }) => names.includes(name))) results.push(await playCase(sim, played));
  } finally {
    await sim.close();
  }
  return results;
}

const inWords = ({ name, switch: real, model }: CaseResult) => `${name} ${real.kind}${'why' in real ? ' known' : ''} ${model.kind}`;

void t.test('every 25th case that is no stream', async (t) => {
  const names = corpus.filter(({ name }, index) => /^(action|match)/.test(name) && index % 25 === 0).map(({ name }) => name);
  const results = await play(names);
  t.equal(results.length, names.length);
  t.ok(results.length > 35, 'cases were played');
  t.strictSame(results.filter(({ switch: real, model }) => !(real.kind === 'as-expected' && model.kind === 'agrees') && !(real.kind === 'rejected' && model.kind === 'not-asked')), []);
  t.ok(results.some(({ switch: real }) => real.kind === 'rejected') && results.some(({ switch: real }) => real.kind === 'as-expected'));
});

void t.test('one of each other kind', async (t) => {
  const results = await play(['action/19_PUSH_MPLS 2', 'action/27_POP_PBB 1', 'group/00_ALL 1', 'group/01_SELECT_Ether 1', 'meter/01_DROP_01_PKTPS_00_100 1', 'meter/02_DSCP_REMARK_01_PKTPS_00_100 1', 'match/02_METADATA 2']);
  t.strictSame(results.map((result) => inWords(result).replace(/(DROP.*) (agrees|unknown)/, '$1')), [
    'action/19_PUSH_MPLS 2 otherwise known agrees', 'action/27_POP_PBB 1 rejected not-asked', 'group/00_ALL 1 as-expected agrees', 'group/01_SELECT_Ether 1 otherwise known agrees', 'match/02_METADATA 2 as-expected agrees',
    'meter/01_DROP_01_PKTPS_00_100 1 as-expected', 'meter/02_DSCP_REMARK_01_PKTPS_00_100 1 rejected not-asked',
  ]);
  t.strictSame(results.flatMap(({ switch: real }) => (real.kind === 'rejected' ? [real.error] : [])), ['ovs-ofctl: unknown action pop_pbb', 'ovs-vswitchd: OFPMMFC_BAD_BAND']);
});

void t.test('a fault on the wire', async (t) => {
  const names = ['action/00_OUTPUT 1', 'match/02_METADATA 2', 'match/02_METADATA 3', 'action/19_PUSH_MPLS 2', 'group/00_ALL 1'];
  const lost = await play(names, () => ({ outputs: [], packetIns: [] }));
  t.strictSame(lost.map(inWords), ['action/00_OUTPUT 1 otherwise differs', 'action/19_PUSH_MPLS 2 otherwise differs', 'group/00_ALL 1 otherwise differs', 'match/02_METADATA 2 otherwise differs', 'match/02_METADATA 3 as-expected agrees']);
  const changed = await play(names, ({ outputs, packetIns = [] }) => ({ outputs: outputs.map((output) => ({ ...output, frame: output.frame.with(0, 1) })), packetIns: packetIns.map((told) => ({ ...told, frame: told.frame.with(0, 1) })) }));
  t.strictSame(changed.map(inWords), ['action/00_OUTPUT 1 otherwise differs', 'action/19_PUSH_MPLS 2 otherwise differs', 'group/00_ALL 1 as-expected differs', 'match/02_METADATA 2 otherwise differs', 'match/02_METADATA 3 as-expected agrees']);
});
