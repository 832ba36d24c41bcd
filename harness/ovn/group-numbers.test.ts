// Goal: two builds of the same rows have the same numbers of groups. Method: one program, numbered
// in two orders.
import t from 'tap';
import { canonicalProgram } from './canonical-program.js';

const buckets = (to: string) =>
  'type=select,selection_method=dp_hash,' +
  `bucket=bucket_id:0,weight:100,actions=ct(commit,nat(dst=${to}))`;

const program = (web: number, dns: number) => ({
  flows: [
    `cookie=0x1, table=14, priority=120,tcp actions=group:${web}`,
    `cookie=0x2, table=14, priority=120,udp actions=set_field:0x8/0x8->reg10,group:${dns}`,
  ],
  groups: [
    `group_id=${web},${buckets('10.10.1.2:80')}`,
    `group_id=${dns},${buckets('10.10.1.3:53')}`,
  ],
});

void t.test('groups are numbered by what their buckets do', async (t) => {
  const one = canonicalProgram(program(1, 2), []);
  t.strictSame(canonicalProgram(program(2, 1), []), one);
  const numbers = one.groups.map((group) => /^group_id=(\d+),/.exec(group)?.[1]);
  t.equal(new Set(numbers).size, 2);
  t.strictSame(
    one.flows.map((flow) => /group:(\d+)/.exec(flow)?.[1]),
    numbers,
  );
});

void t.test('a group that is not there keeps its number', async (t) => {
  const { flows } = canonicalProgram({ flows: ['table=0 actions=group:7'], groups: [] }, []);
  t.strictSame(flows, ['table=0 actions=group:7']);
});
