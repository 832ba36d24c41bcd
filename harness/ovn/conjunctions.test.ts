// Goal: conjunctions have names that do not depend on their numbers. Method: flows of two
// compilations that differ in numbers alone; two conjunctions in one flow stay apart.
import t from 'tap';
import { conjunctionNames, renameConjunctions } from './conjunctions.js';

const compiled = (first: number, second: number): readonly string[] => [
  `table=1, ip,nw_src=10.0.0.1 actions=conjunction(${first},1/2),conjunction(${second},1/2)`,
  `table=1, tcp,tp_dst=80 actions=conjunction(${first},2/2)`,
  `table=1, udp,tp_dst=53 actions=conjunction(${second},2/2)`,
  `table=1, conj_id=${first},ip actions=resubmit(,2)`,
  `table=1, conj_id=${second},ip actions=resubmit(,3)`,
];
const renamed = (flows: readonly string[]) => {
  const names = conjunctionNames(flows);
  return flows.map((flow) => renameConjunctions(flow, names));
};

void t.test('numbers leave no trace', async (t) => {
  t.strictSame(renamed(compiled(2, 3)), renamed(compiled(3, 2)));
  const [first = '', second] = [...conjunctionNames(compiled(2, 3)).values()];
  t.match(first, /^\d+$/);
  t.not(first, second, 'each has a name of its own');
});

void t.test('other conditions give other names', async (t) => {
  const others = compiled(2, 3).map((flow) => flow.replace('tp_dst=80', 'tp_dst=81'));
  t.not(conjunctionNames(others).get('2'), conjunctionNames(compiled(2, 3)).get('2'));
});
