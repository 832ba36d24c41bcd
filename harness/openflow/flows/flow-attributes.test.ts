// Goal: what stands beside match and actions is read and printed as ovs-ofctl does, to the
// nanosecond, and nothing else is taken for it. Method: lines of a dump and what is printed of
// them; words that only look like an attribute.
import t from 'tap';
import { canonical } from '../syntax/form.js';
import { parseDumpedFlow, parseFlow, printDumpedFlow } from './flow.js';

const printed = (
  text: string,
  protocol: 'OpenFlow10' | 'OpenFlow13' | 'OpenFlow15' = 'OpenFlow15',
): string => printDumpedFlow(parseDumpedFlow(text), { ...canonical, protocol });

void t.test('durations', (t) => {
  const durations = [
    ['0s', '0s'],
    ['7', '7s'],
    ['12.345s', '12.345s'],
    ['0.001s', '0.001s'],
    ['1.5s', '1.500s'],
    ['1.000000001s', '1.000000001s'],
    ['1.00001s', '1.000010000s'],
    ['4294967295.999999999s', '4294967295.999999999s'],
  ] as const;
  for (const [given, duration] of durations)
    t.equal(
      printed(`duration=${given}, table=3, n_packets=1, n_bytes=2, actions=drop`),
      `cookie=0x0, duration=${duration}, table=3, n_packets=1, n_bytes=2, actions=drop`,
      given,
    );
  for (const wrong of ['4294967296s', '1.1234567891s', '.5s', '1.s', '1sx', '-1s', 'x1s'])
    t.throws(
      () => parseDumpedFlow(`duration=${wrong},actions=drop`),
      { message: /duration: expected seconds/ },
      wrong,
    );
  t.equal(
    parseDumpedFlow('duration=2.000000003s,actions=drop').statistics?.durationNs,
    2_000_000_003n,
  );
  t.end();
});

void t.test('counters that are not given are zero', (t) => {
  const zero = { durationNs: 0n, packets: 0n, bytes: 0n };
  const printed = [
    ['duration=1s', { ...zero, durationNs: 1_000_000_000n }],
    ['n_packets=5', { ...zero, packets: 5n }],
    ['n_bytes=5', { ...zero, bytes: 5n }],
    ['idle_age=4294967295', { ...zero, idleAge: 0xffffffff }],
    ['hard_age=0', { ...zero, hardAge: 0 }],
    ['cookie=5', undefined],
  ] as const;
  for (const [text, statistics] of printed)
    t.strictSame(parseDumpedFlow(`${text},actions=drop`).statistics, statistics, text);
  t.throws(() => parseDumpedFlow('idle_age=4294967296,actions=drop'), {
    message: /from 0 to 4294967295/,
  });
  t.end();
});

void t.test('each version reports what it knows', (t) => {
  const text =
    'cookie=0x5, duration=1s, table=3, n_packets=1, n_bytes=2, idle_timeout=6, ' +
    'hard_timeout=7, check_overlap send_flow_rem importance=8, idle_age=9, hard_age=10, ' +
    'priority=1 actions=drop';
  const [before, after] = [
    'cookie=0x5, duration=1s, table=3, n_packets=1, n_bytes=2, idle_timeout=6, hard_timeout=7, ',
    'priority=1 actions=drop',
  ];
  t.equal(printed(text, 'OpenFlow10'), `${before}idle_age=9, hard_age=10, ${after}`);
  t.equal(printed(text, 'OpenFlow13'), `${before}send_flow_rem check_overlap ${after}`);
  t.equal(
    printed(text, 'OpenFlow15'),
    `${before}send_flow_rem check_overlap importance=8, idle_age=9, hard_age=10, ${after}`,
  );
  t.end();
});

void t.test('a name without a value, or a word with one, is no attribute', (t) => {
  t.throws(() => parseFlow('priority,actions=drop'), {
    message: /^flow:1:1: expected FIELD=VALUE or one of .*, got "priority"$/,
  });
  t.throws(() => parseFlow('send_flow_rem=1,actions=drop'), {
    message: 'flow:1:1: unknown field "send_flow_rem"',
  });
  t.same(parseFlow('priority=7,priority=8,actions=drop').priority, 8, 'the last of several counts');
  t.end();
});
