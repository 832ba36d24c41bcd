/**
 * Goal: a model that takes what a switch refuses, or refuses it for something else, is
 * distinguished from one that refuses it as well. Method: programs of the corpus with the errors
 * that Open vSwitch answers them with; then the same with a fault in either.
 */
import t from 'tap';
import { readCorpus } from './corpus.js';
import { emptyProgram, planOf, programOf } from './program.js';
import { refuseModel } from './refuse-model.js';

const corpus = readCorpus();
const answers = {
  'action/27_POP_PBB 1': 'OFPBAC_BAD_TYPE',
  'match/37_PBB_ISID 1': 'OFPBMC_BAD_FIELD',
  'action/25_SET_FIELD/05_ETH_TYPE 1': 'OFPBAC_BAD_SET_ARGUMENT',
  'meter/02_DSCP_REMARK_01_PKTPS_00_100 1': 'OFPMMFC_BAD_BAND, OFPMMFC_INVALID_METER',
};
const programs = Object.entries(answers).map(([name, error]) => ({
  name,
  error,
  program: programOf(corpus.find((played) => played.name === name)!),
}));

void t.test('refused by both', async (t) => {
  for (const { name, error, program } of programs)
    t.equal(refuseModel(planOf(program), {}, error).kind, 'refuses', name);
});

void t.test('taken by the model', async (t) => {
  for (const { error, program } of programs) {
    const isRefused = /pbb|eth_type|meter:1/;
    const plan = planOf({
      ...emptyProgram,
      flows: program.flows.filter((flow) => !isRefused.test(flow)),
    });
    t.strictSame(refuseModel(plan, {}, error), {
      kind: 'differs',
      differences: [`the model takes what the switch refuses: ${error}`],
    });
  }
});

void t.test('refused for another reason', async (t) => {
  for (const { program } of programs)
    t.match(refuseModel(planOf(program), {}, 'OFPFMFC_TABLE_FULL'), {
      kind: 'differs',
      differences: [
        /^the model refuses for another reason than the switch, OFPFMFC_TABLE_FULL: .*switch/,
      ],
    });
  t.match(
    refuseModel(
      planOf({ ...emptyProgram, flows: ['actions=output:nowhere'] }),
      {},
      'OFPBAC_BAD_TYPE',
    ),
    { kind: 'differs', differences: [/^the model refuses for another reason/] },
  );
});

void t.test('not known to the model', async (t) => {
  const plan = planOf(emptyProgram);
  const underlay = {
    ip: '172.30.0.1',
    prefixLength: 24,
    neighbours: [],
    routes: [{ destination: '10.0.0.0/8', gateway: '172.31.0.1' }],
  };
  t.match(
    refuseModel(
      { ...plan, bridges: plan.bridges.map((bridge) => ({ ...bridge, underlay })) },
      {},
      'OFPBAC_BAD_TYPE',
    ),
    { kind: 'unknown', why: /the route to 10\.0\.0\.0\/8/ },
  );
});
