// Goal: flows that copy a packet to the same ports in another order become the same text, and no
// other flow changes. Method: flows as ovn-controller makes them, with their copies turned around.
import t from 'tap';
import { sortCopies } from './copies.js';

const copy = (zone: number, port: number) =>
  `set_field:0x${zone}/0xffff->reg13,set_field:0x${port}->reg15,resubmit(,44)`;
const flood = (...copies: readonly string[]) =>
  `table=43, priority=100,reg15=0x8000 actions=set_field:0->reg6,${copies.join(',')},` +
  'set_field:0x8000->reg15';

void t.test('copies to ports', async (t) => {
  const [a, b, c] = [copy(2, 1), copy(1, 2), copy(3, 7)];
  t.equal(sortCopies(flood(a, b, c)), sortCopies(flood(c, a, b)));
  t.equal(sortCopies(flood(a, b, c)), flood(b, a, c), 'what is before and behind stays there');
  t.not(sortCopies(flood(a, b)), sortCopies(flood(a, c)));
  t.equal(sortCopies(flood(a)), flood(a));
});

void t.test('copies into tunnels', async (t) => {
  const remote = (...outputs: readonly string[]) =>
    `table=42 actions=set_field:0x3/0xffffff->tun_id,${outputs.join(',')},resubmit(,43)`;
  t.equal(
    sortCopies(remote('output:40003', 'output:40001', 'output:40002')),
    remote('output:40001', 'output:40002', 'output:40003'),
  );
});

void t.test('a packet that goes from table to table is not turned around', async (t) => {
  for (const flow of [
    'table=44, priority=0 actions=resubmit(,71),resubmit(,37)',
    'table=36 actions=clone(set_field:0x1->reg15,resubmit(,40)),set_field:0x4->reg15,resubmit(,40)',
    'table=8 actions=set_field:0x2->reg15,resubmit(,44),set_field:0x1->reg15,resubmit(,9)',
    'table=0, priority=0 actions=drop',
  ])
    t.equal(sortCopies(flow), flow);
});
