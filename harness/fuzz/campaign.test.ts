/**
 * Goal: a case is the same bytes for the same seed and index, and nearly all of it is what a switch
 * takes; what is frozen reads back; a case shrinks to what matters and no further; what packets met
 * is counted, and what they never met is named. Method: cases of one seed, and a shrinker that asks
 * a predicate instead of switches.
 */
import { readFile } from 'node:fs/promises';
import t from 'tap';
import { Unpredictable, Unsupported } from '../base/errors/errors.js';
import type { FlowCount } from '../domain/switching.js';
import { flowId } from '../openflow/flows/flow.js';
import { behaviourOf, newest } from '../model/behaviour.js';
import { openModel } from '../testbeds/model/model-testbed.js';
import { callOf, readFlow, type FuzzCase } from './fuzz-case.js';
import { bridge, node, performedBy, planOf } from './fuzz-network.js';
import { performCall } from './perform-call.js';
import { addCoverage, noCoverage } from './coverage/coverage.js';
import { protocolsOf } from './coverage/protocols.js';
import { missingFromPackets, missingFromSequences } from './coverage/required.js';
import { parseRegression, printRegression } from './regression-case.js';
import { drawCase } from './generate/draw-case.js';
import { drawSequence } from './generate/draw-sequence.js';
import { readCase } from './read-case.js';
import { planRuns, whyUnknown } from './plan-runs.js';
import { deltaDebug } from '../search/delta-debug.js';
import { shrink } from './shrink/shrink.js';

const behaviour = behaviourOf(newest);
const cases = Array.from({ length: 60 }, (_, index) => drawCase(1, index, behaviour));
const printed = (each: FuzzCase) => printRegression({ ...each, why: '', found: [] });

void t.test('a case follows from seed and index alone', (t) => {
  t.equal(printed(drawCase(1, 59, behaviour)), printed(cases[59]!));
  t.not(printed(drawCase(2, 59, behaviour)), printed(cases[59]!), 'another seed is another case');
  t.equal(new Set(cases.map(printed)).size, cases.length);
  t.end();
});

void t.test(
  'sequences follow from seed and index, are read, and do something beside packets',
  (t) => {
    const sequences = Array.from({ length: 60 }, (_, index) => drawSequence(1, index));
    t.equal(printed(drawSequence(1, 7)), printed(sequences[7]!));
    t.same(
      sequences.map(
        (each) => parseRegression(printRegression({ ...each, why: '', found: [] }), 'file').steps,
      ),
      sequences.map(({ steps }) => steps),
      'they read back',
    );
    const [flows, complaints] = [
      sequences.flatMap((each) => each.flows),
      sequences.flatMap((each) => readCase(each, behaviour).rejections),
    ];
    t.ok(
      complaints.length < flows.length / 50,
      `${complaints.length} of ${flows.length} flows are none`,
    );
    const kinds = new Map<string, number>();
    for (const { kind } of sequences.flatMap(({ steps }) => steps))
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    t.same([...kinds.keys()].sort(), ['advance', 'change', 'flush', 'link', 'packet']);
    t.ok((kinds.get('packet') ?? 0) > 1000, 'most are packets');
    t.end();
  },
);

void t.test('what is drawn is read, and little of it twice', (t) => {
  t.same(
    cases.flatMap((each) => readCase(each, behaviour).rejections),
    [],
  );
  const flows = cases.flatMap((each) => each.flows.map((text) => readFlow(text)));
  t.ok(flows.length > 500, `${flows.length} flows`);
  t.ok(
    cases.some(({ groups }) => groups.length > 1),
    'groups',
  );
  const ties = cases.map(
    (each) =>
      each.flows.length -
      new Set(
        each.flows
          .map((text) => readFlow(text))
          .map(({ table, priority }) => `${table} ${priority}`),
      ).size,
  );
  t.ok(
    ties.filter((count) => count > 0).length < cases.length / 2,
    'flows of equal priority are rare',
  );
  t.end();
});

void t.test('what nobody could predict is distinguished from what the model does not know', (t) => {
  t.same(whyUnknown(new Unpredictable('ends itself, at a frame into 1')), {
    kind: 'nondeterministic',
    why: 'ends itself',
  });
  t.same(whyUnknown(new Unsupported('no such field')), {
    kind: 'not modelled',
    why: 'no such field',
  });
  t.throws(() => whyUnknown(new TypeError('a bug')), TypeError);
  t.end();
});

void t.test('what no switch would take is distinguished', (t) => {
  const { accepted, rejections: complaints } = readCase(
    {
      groups: ['group_id=1,type=all'],
      flows: ['actions=group:1', 'actions=group:2', 'tp_src=1 actions=drop'],
      beyond: [],
      steps: [],
    },
    behaviour,
  );
  t.same([accepted.groups.length, accepted.flows], [1, ['actions=group:1']]);
  t.match(complaints, [
    { line: 'flow add actions=group:2', why: 'there is no group 2' },
    { line: 'flow add tp_src=1 actions=drop', why: /tp_src/ },
  ]);
  t.end();
});

void t.test('a frozen case reads back, and another file does not', (t) => {
  const frozen = { ...cases[0]!, why: 'it was wrong', found: ['trixie 3.5.0'] };
  t.same(parseRegression(printRegression(frozen), 'file'), frozen);
  t.throws(() => parseRegression('{', 'file'), { name: 'InputError', message: /^file: not JSON/ });
  t.throws(() => parseRegression(printRegression(frozen).replace('"why"', '"whys"'), 'file'), {
    name: 'InputError',
    message: /^file: .*why/s,
  });
  t.end();
});

void t.test('the shortest part of a list', async (t) => {
  const numbers = Array.from({ length: 20 }, (_, index) => index);
  t.same(
    await deltaDebug(numbers, (some) => Promise.resolve(some.includes(3) && some.includes(17))),
    [3, 17],
  );
  t.same(await deltaDebug(numbers, () => Promise.resolve(true)), []);
  t.same(await deltaDebug(numbers, () => Promise.resolve(false)), numbers);
  t.same(await deltaDebug([], () => Promise.resolve(true)), []);
});

void t.test('a case shrinks to what shows', async (t) => {
  const large: FuzzCase = {
    groups: [
      'group_id=1,type=all,bucket=actions=output:1,bucket=actions=set_field:3->reg1,output:2',
      'group_id=2,type=all,bucket=actions=output:1',
    ],
    flows: [
      'cookie=0x5, table=3, priority=1,tcp,nw_src=10.0.0.0/8,tp_dst=80 ' +
        'actions=push_vlan:0x8100,clone(output:3,dec_ttl),group:1,output:2',
      'table=4, priority=7 actions=output:2',
      'no flow at all',
    ],
    beyond: ['actions=drop'],
    steps: [
      { kind: 'packet', port: '3', frame: new Uint8Array(80).fill(7) },
      { kind: 'advance', ms: 3000 },
      { kind: 'packet', port: '2', frame: new Uint8Array(20) },
    ],
  };
  const shows = ({ groups, flows, steps }: FuzzCase) =>
    Promise.resolve(
      groups.some((text) => text.includes('reg1')) &&
        flows.some((text) => /tcp.*dec_ttl/.test(text)) &&
        steps.some((step) => step.kind === 'packet' && step.frame[3] === 7) &&
        steps.some((step) => step.kind === 'advance' && step.ms > 100),
    );
  t.same(await shrink(large, shows), {
    groups: ['group_id=1,type=all,bucket=bucket_id:1,actions=set_field:0x3->reg1'],
    flows: ['table=3, priority=1,tcp actions=dec_ttl'],
    beyond: [],
    steps: [
      { kind: 'packet', port: '1', frame: new Uint8Array(14).with(3, 7) },
      { kind: 'advance', ms: 101 },
    ],
  });
  let asked = 0;
  const counted = async (smaller: FuzzCase) => {
    asked++;
    return await shows(smaller);
  };
  const whole = await shrink(large, counted);
  const times = asked;
  asked = 0;
  const halfway = await shrink(large, counted, 9);
  t.ok(times > 9 && asked === 9 && (await shows(halfway)), 'as small as it is in so many tries');
  t.notSame(halfway, whole);
});

void t.test('what packets met is counted', (t) => {
  const flows = [
    'reg0=1/3 actions=set_field:1->reg1,group:1,exit,output:1',
    'priority=3 actions=resubmit(,1)',
    'conj_id=7 actions=clone(move:reg2[0..3]->reg3[0..3])',
  ];
  const count = (text: string, packets: number): FlowCount => ({
    flow: flowId(node, bridge, readFlow(text)),
    packets,
    bytes: 60 * packets,
  });
  const coverage = noCoverage();
  addCoverage(
    coverage,
    {
      groups: ['group_id=1,type=indirect,bucket=actions=output:NORMAL'],
      flows,
      beyond: [],
      steps: [
        { kind: 'packet', port: '1', frame: new Uint8Array(14) },
        { kind: 'packet', port: '1', frame: new Uint8Array(15) },
      ],
    },
    [1],
    [count(flows[0]!, 2), count(flows[1]!, 0), count(flows[2]!, 5)],
  );
  t.same(Object.fromEntries(coverage.fields), {
    'reg0 masked': 2,
    'reg1 written': 2,
    'conj_id exactly': 5,
    'reg2 read': 5,
    'reg3 written': 5,
  });
  t.same(Object.fromEntries(coverage.actions), {
    set_field: 2,
    'group indirect': 2,
    'output to NORMAL': 2,
    exit: 2,
    clone: 5,
    move: 5,
    conjunction: 5,
  });
  t.same(Object.fromEntries(coverage.protocols), { 'IEEE 802.3': 1 });
  t.ok(
    ['learn', 'ct with force', 'flush of a zone', 'link down', 'ct_mark masked'].every((name) =>
      missingFromSequences(coverage).includes(name),
    ),
    'what sequences would have to meet',
  );
  const missing = missingFromPackets(coverage);
  for (const name of ['resubmit', 'metadata masked', 'tcp_src written', 'IPv6 later fragment'])
    t.ok(missing.includes(name), `${name} was never met`);
  for (const name of ['exit', 'IEEE 802.3', 'tcp_flags written'])
    t.notOk(missing.includes(name), `${name} is met, or cannot be`);
  t.end();
});

void t.test('a conjunction is met, by packets that are drawn for it', async (t) => {
  // Cases take turns with about two hundred things, two each.
  let index = 120;
  while (
    index > 0 &&
    !drawCase(1, index, behaviour).flows.some((text) => text.includes('conj_id=13'))
  )
    index--;
  t.ok(index > 0, 'one of them is for a conjunction');
  const drawn = drawCase(1, index, behaviour);
  const { accepted } = readCase(drawn, behaviour);
  const [plan, coverage] = [planOf(accepted), noCoverage()];
  const model = openModel(plan);
  for (const step of accepted.steps)
    await performCall(callOf(step), plan, performedBy(model)).catch((error: unknown) =>
      whyUnknown(error),
    );
  addCoverage(coverage, accepted, [], await model.counts());
  t.ok((coverage.actions.get('conjunction') ?? 0) >= 3);
});

void t.test(
  'what nobody could predict of frozen cases is left out by name, and what is cached wrongly ' +
    'is not cached',
  async (t) => {
    const foreseen = async (file: string) => {
      const frozen = parseRegression(
        await readFile(
          new URL(`../../../harness/fuzz/frozen/${file}.json`, import.meta.url),
          'utf8',
        ),
        file,
      );
      return await planRuns(() => openModel(planOf(frozen)), frozen, 'in runs');
    };
    const whyOf = async (file: string) =>
      [...(await foreseen(file)).skipped].map(([index, { why }]) => `${index} ${why}`);
    t.match(await whyOf('flood-into-bridge-that-sends-back'), [/^0 .*in which order/]);
    t.match(await whyOf('bits-of-nd-reserved'), [/^0 .*which bits of nd_reserved/]);
    t.match(await whyOf('neighbour-out-of-sight'), [
      /^0 .*ends itself/,
      /^1 .*ends itself/,
      /^2 .*ends itself/,
    ]);
    t.same(await whyOf('payload-out-of-sight'), []);
    t.same(
      [...new Set((await foreseen('sent-to-no-port-cached')).runs.map(({ cache }) => cache))],
      ['emptied'],
    );
    t.same(
      [...new Set((await foreseen('payload-out-of-sight')).runs.map(({ cache }) => cache))],
      ['kept'],
    );
  },
);

void t.test('what is left out has not happened to the steps behind it', async (t) => {
  const datagram = (ports: string) =>
    Uint8Array.from(
      Buffer.from(
        `0a00000000020a0000000001080045000021000000004011${ports === '0fa00035' ? '66ca0a0000010a000002' : '66ca0a0000020a000001'}${ports}` +
          '000d00006161616161',
        'hex',
      ),
    );
  const [there, back] = [
    { kind: 'packet', port: '1', frame: datagram('0fa00035') },
    { kind: 'packet', port: '2', frame: datagram('00350fa0') },
  ] as const;
  const often = Array.from({ length: 61 }, () => 'output:3').join(',');
  const leftOut = async (first: string) => {
    const fuzzCase: FuzzCase = {
      groups: [],
      beyond: [],
      flows: [
        `in_port=1,ip actions=ct(commit,zone=1),${first}`,
        'in_port=2,ip actions=ct(table=1,zone=1)',
        `table=1,ct_state=+est,ip actions=${often}`,
        'table=1,ct_state=+new,ip actions=output:3',
      ],
      steps: [there, back],
    };
    return [
      ...(await planRuns(() => openModel(planOf(fuzzCase)), fuzzCase, 'one by one')).skipped.keys(),
    ];
  };
  t.same(
    await leftOut('output:3'),
    [1],
    'the connection is there: its answers are copied too often',
  );
  t.same(await leftOut(often), [0], 'it was not played');
});

void t.test('what leaves for the network comes in at the other node, not for ever', async (t) => {
  const plain = ['in_port=LOCAL actions=output:1', 'in_port=1 actions=LOCAL'];
  const into = (other: number) => `set_field:172.30.0.${other}->tun_dst,output:6`;
  const [ip, frame] = [
    ['45000021000000004011', '66ca0a0000010a0000020fa00035000d00006161616161'].join(''),
    (hex: string) => Uint8Array.from(Buffer.from(`0a00000000020a00000000010800${hex}`, 'hex')),
  ];
  const portsOf = async (afar: readonly string[], near: readonly string[]) => {
    const plan = planOf({
      groups: [],
      flows: [`in_port=1 actions=${into(2)}`, ...near],
      beyond: [],
      afar,
      underlay: plain,
    });
    const { outputs } = await performCall(
      { kind: 'receive', node, port: '1', frames: [frame(ip)] },
      plan,
      performedBy(openModel(plan)),
    );
    return outputs.map(({ port }) => port);
  };
  t.same(await portsOf(['in_port=6,tun_src=172.30.0.1 actions=output:1'], []), ['21', '31']);
  const [first, ...others] = await portsOf(
    [`in_port=6 actions=clone(set_field:0->in_port,${into(1)})`],
    [`in_port=6 actions=clone(set_field:0->in_port,${into(2)})`],
  );
  t.ok(
    first === '21' && others.length > 2 && others.length < 40,
    `it crosses ${others.length} times more`,
  );
});

void t.test('protocols by their names', (t) => {
  const frame = (hex: string) =>
    Uint8Array.from(Buffer.from(`0a00000000010a0000000002${hex}`, 'hex'));
  const ip = (protocol: string, fragment = '0000') =>
    `4500001c0000${fragment}40${protocol}00000a0000010a0000020000000000000000`;
  const found = [
    ['0806'],
    [`0800${ip('11')}`],
    [`0800${ip('01')}`],
    [`0800${ip('06', '2000')}`],
    [`0800${ip('06', '0001')}`],
    ['080045'],
    [`810000058100000688b5`],
    ['8847000001ff'],
    ['0020'],
  ].map(([hex = '']) => protocolsOf(frame(hex)).join(', '));
  t.same(found, [
    'ARP',
    'IPv4 UDP',
    'IPv4 ICMP',
    'IPv4 first fragment',
    'IPv4 later fragment',
    'IPv4 broken',
    'two VLAN tags, another type',
    'MPLS',
    'IEEE 802.3',
  ]);
  t.end();
});
