// Goal: flow tables find what OpenFlow says, whatever came and went before. Method: random flows,
// conjunctions and ones that the model does not know among them, come into a table and leave it;
// after each step some packet is looked up, and the answer is that of a plain scan.
import { deepStrictEqual, equal } from 'node:assert';
import fc from 'fast-check';
import t from 'tap';
import { Unsupported } from '../../base/errors/errors.js';
import { parseFlow, printFlowKey, type Flow } from '../../openflow/flows/flow.js';
import { printMatch } from '../../openflow/match/print-match.js';
import { keyWords, word, type FlowKey } from '../../packet/flow-key/flow-key.js';
import {
  compile,
  find,
  insert,
  lookup,
  remove,
  ruleOf,
  rulesOf,
  type Rule,
} from './flow-tables.js';
import { type FlowTables } from './flow-table.js';
import { readField } from '../fields/field-values.js';
import { isExtracted } from '../fields/supported-fields.js';

/** What belongs to the packet by a scan of all flows, those of highest priority first. */
function scan(rules: readonly Rule[], key: FlowKey): readonly Rule[] {
  const found = rules.filter(({ flow }) => matches(flow, key));
  for (const priority of new Set(found.map(({ flow }) => flow.priority).sort((a, b) => b - a))) {
    const level = found.filter(({ flow }) => flow.priority === priority);
    const whole = level.filter(({ clauses }) => clauses.length === 0);
    if (whole.length > 0) return known(whole);
    const joined = completed(known(level)).flatMap((id) => joinedBy(rules, key, id));
    if (joined.length > 0) return known(joined);
  }
  return [];
}

function matches({ match }: Flow, key: FlowKey): boolean {
  return match.every(
    ({ field, value, mask }) => !isExtracted(field) || (readField(key, field) & mask) === value,
  );
}

function known(rules: readonly Rule[]): readonly Rule[] {
  if (rules.some(({ unsupported }) => unsupported !== undefined)) throw new Unsupported('unknown');
  return rules;
}

function completed(parts: readonly Rule[]): readonly number[] {
  const clauses = parts
    .flatMap((part) => part.clauses)
    .filter((clause) => clause.clauses <= parts.length);
  return [...new Set(clauses.map(({ id }) => id))].filter((id) => {
    const own = clauses.filter((clause) => clause.id === id);
    if (new Set(own.map((clause) => clause.clauses)).size > 1) throw new Unsupported('two sizes');
    return new Set(own.map(({ clause }) => clause)).size === own[0]?.clauses;
  });
}

/** A flow below a part of a conjunction with the same match is not seen. */
function joinedBy(rules: readonly Rule[], key: FlowKey, id: number): readonly Rule[] {
  const asked = key.slice();
  asked[word.conjId] = id;
  const hides = (other: Rule, { flow }: Rule) =>
    other.clauses.length > 0 &&
    other.flow.priority > flow.priority &&
    printMatch(other.flow.match) === printMatch(flow.match);
  const found = rules.filter(
    (rule) =>
      rule.clauses.length === 0 &&
      matches(rule.flow, asked) &&
      !rules.some((other) => hides(other, rule)),
  );
  const best = Math.max(...found.map(({ flow }) => flow.priority));
  return known(found.filter(({ flow }) => flow.priority === best));
}

function answerOf(look: () => readonly Rule[]): readonly string[] | 'refused' {
  try {
    return [...new Set(look().map(({ flow }) => printFlowKey(flow)))].sort();
  } catch (error) {
    if (error instanceof Unsupported) return 'refused';
    throw error;
  }
}

const lookedUp = (tables: FlowTables, key: FlowKey) => () => {
  const { rule, ties } = lookup(tables, 0, key);
  return ties.length > 0 ? ties : rule === undefined ? [] : [rule];
};

const some = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const bits = fc.integer({ min: 0, max: 3 });
/** Bits of two words, one of them where numbers with a sign begin. */
const places = [31n, 32n];
const spread = (number: number) =>
  places.reduce((sum, place, index) => sum | (BigInt((number >>> index) & 1) << place), 0n);

const matchText = fc
  .record({
    inPort: some(fc.integer({ min: 1, max: 2 })),
    metadata: some(fc.tuple(bits, fc.integer({ min: 1, max: 3 }))),
    reg0: some(bits),
    conjId: some(bits),
    isUnknown: fc.nat(19),
  })
  .map(({ inPort, metadata, reg0, conjId, isUnknown }) =>
    [
      inPort === undefined ? '' : `in_port=${inPort}`,
      reg0 === undefined ? '' : `reg0=${reg0}`,
      conjId === undefined ? '' : `conj_id=${conjId}`,
      metadata === undefined
        ? ''
        : `metadata=${spread(metadata[0] & metadata[1])}/${spread(metadata[1])}`,
      isUnknown === 0 ? 'tun_metadata0=1' : '',
    ]
      .filter((text) => text !== '')
      .join(','),
  );
const clause = fc
  .tuple(fc.integer({ min: 1, max: 2 }), fc.integer({ min: 2, max: 3 }))
  .chain(([id, clauses]) =>
    fc.integer({ min: 1, max: clauses }).map((which) => `conjunction(${id},${which}/${clauses})`),
  );
const actions = fc.oneof(
  fc.constant('drop'),
  fc.array(clause, { minLength: 1, maxLength: 3 }).map((clauses) => clauses.join(',')),
);
const flow = fc
  .tuple(fc.integer({ min: 1, max: 3 }), matchText, actions)
  .map(([priority, match, text]) => parseFlow(`priority=${priority},${match} actions=${text}`));

const packet = fc
  .tuple(fc.integer({ min: 1, max: 2 }), bits, bits)
  .map(([inPort, metadata, reg0]) => {
    const key = new Uint32Array(keyWords);
    key[word.inPort] = inPort;
    key[word.reg] = reg0;
    key.set(
      [Number(spread(metadata) >> 32n), Number(spread(metadata) & 0xffffffffn)],
      word.metadata,
    );
    return key;
  });

type Step =
  | { readonly kind: 'insert'; readonly flow: Flow }
  | { readonly kind: 'remove'; readonly index: number }
  | { readonly kind: 'look'; readonly key: FlowKey };
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: flow.map((one): Step => ({ kind: 'insert', flow: one })) },
  { weight: 1, arbitrary: fc.nat(20).map((index): Step => ({ kind: 'remove', index })) },
  { weight: 4, arbitrary: packet.map((key): Step => ({ kind: 'look', key })) },
);

void t.test(
  'a table answers as a scan of its flows does, and its flows are those that came and did not go',
  (t) => {
    const seen = { refused: 0, conjunctions: 0, ties: 0 };
    fc.assert(
      fc.property(fc.array(step, { minLength: 50, maxLength: 60 }), (steps) => {
        const tables = compile([]);
        let held: readonly Rule[] = [];
        for (const one of steps) {
          if (one.kind === 'insert') {
            const rule = ruleOf(one.flow);
            const before = held.find(
              ({ flow: other }) => printFlowKey(other) === printFlowKey(rule.flow),
            );
            equal(find(tables, rule), before);
            equal(insert(tables, rule), before);
            held = [...held.filter((other) => other !== before), rule];
          } else if (one.kind === 'remove') {
            const rule = held[one.index];
            if (rule === undefined) continue;
            remove(tables, rule);
            held = held.filter((other) => other !== rule);
          } else {
            const expected = answerOf(() => scan(held, one.key));
            const before = one.key.slice();
            deepStrictEqual(answerOf(lookedUp(tables, one.key)), expected);
            deepStrictEqual(one.key, before);
            if (expected === 'refused') seen.refused++;
            else if (expected.length > 1) seen.ties++;
            else if (expected[0]?.includes('conj_id') === true) seen.conjunctions++;
          }
          const order = held.toSorted((a, b) => b.flow.priority - a.flow.priority);
          equal(rulesOf(tables).length, order.length);
          rulesOf(tables).forEach((rule, index) => {
            equal(rule, order[index]);
          });
        }
      }),
      { seed: 1, numRuns: 150 },
    );
    t.ok(
      Object.values(seen).every((times) => times > 10),
      JSON.stringify(seen),
    );
    t.end();
  },
);

void t.test(
  'a part that has several clauses of one conjunction completes it, however many others it is ' +
    'part of',
  (t) => {
    const key = new Uint32Array(keyWords);
    key[word.inPort] = 1;
    const others = Array.from({ length: 5 }, (_, index) => `conjunction(${index + 10},1/2)`).join(
      ',',
    );
    const flows = [
      `in_port=1 actions=conjunction(1,1/2),conjunction(1,2/2),${others}`,
      'reg0=0 actions=conjunction(2,1/2)',
      'conj_id=1 actions=drop',
    ];
    const { rule } = lookup(compile(flows.map((text) => parseFlow(text))), 0, key);
    t.match(rule === undefined ? 'none' : printFlowKey(rule.flow), /conj_id=1$/);
    t.end();
  },
);
