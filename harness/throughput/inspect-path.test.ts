/**
 * Goal: what needs no statistics is found without any. Method: counters and frames of a path as the
 * switches gave them, and each of the faults in them.
 */
import assert from 'node:assert/strict';
import t from 'tap';
import { segmentsIn } from './cluster/segments-of-stack.js';
import { inspect, type Inspected } from './inspect-path.js';
import { measuredPaths, measuredPlan } from './measured-paths.js';
import { faultedPlan } from './planted-faults.js';
import { workOfPath } from './work-of-path.js';

const plan = measuredPlan('encap', 0);
const encap = measuredPaths.find(({ name }) => name === 'encap') ?? measuredPaths[0];
const trial = {
  ...{ units: 1000, seconds: 1, switchNs: 1, polls: 1, probes: 1 },
  ...{ clientNs: 1, serverNs: 1, proxyNs: 0 },
};

function frame(port: number, checksum: number, fragment = 0): Uint8Array {
  const bytes = new Uint8Array(60);
  bytes.set([8, 0, 0x45], 12);
  bytes.set([fragment, 0], 20);
  bytes[23] = 17;
  bytes.set([port >> 8, port & 255], 36);
  bytes.set([checksum >> 8, checksum & 255], 40);
  return bytes;
}

void t.test('a path as planned holds, and each fault does not', async (t) => {
  assert(encap !== undefined, 'it is there');
  const work = await workOfPath(plan, encap, 'connections');
  const counted = {
    lookups: work.lookups * 1000 + 12,
    recirculations: work.recirculations * 1000 + 3,
    upcalls: 8,
  };
  const quiet: Inspected = { trial, counted, between: [frame(6081, 0), frame(53, 7)] };
  const broken = (inspected: Inspected) =>
    inspect(plan, work, 'both', inspected)
      .filter(({ holds }) => !holds)
      .map(({ what }) => what);
  t.strictSame(broken(quiet), []);
  t.strictSame(broken({ ...quiet, upcalls: 800 }), ['upcalls since the first packet']);
  t.strictSame(broken({ ...quiet, counted: { ...counted, lookups: counted.lookups * 2 } }), [
    'lookups a unit',
  ]);
  t.strictSame(broken({ ...quiet, between: [frame(6081, 5)] }), [
    'tunnelled packets with a checksum of UDP',
  ]);
  t.strictSame(broken({ ...quiet, between: [frame(6081, 0, 0x20)] }), ['fragments between nodes']);
});

void t.test(
  'an end that is slow acknowledges by itself, and each segment is as before',
  async (t) => {
    assert(encap !== undefined, 'it is there');
    const work = await workOfPath(plan, encap, 'requests');
    const broken = (segments: number, more = 0) =>
      inspect(plan, work, 'both', {
        ...{ trial, segments, between: [] },
        counted: {
          lookups: (work.lookups / 2) * segments + more,
          recirculations: (work.recirculations / 2) * segments,
          upcalls: 0,
        },
      })
        .filter(({ holds }) => !holds)
        .map(({ what }) => what);
    for (const segments of [2008, 2300, 3900]) t.strictSame(broken(segments), [], `${segments}`);
    for (const segments of [1800, 4100]) t.strictSame(broken(segments), ['segments a unit']);
    t.strictSame(broken(2300, 2300), ['lookups a segment']);
  },
);

void t.test('what a stack counts', (t) => {
  const snmp = (...values: readonly string[]) =>
    'Ip: Forwarding InSegs\nIp: 1 9\nTcp: MaxConn InSegs OutSegs RetransSegs\n' +
    `Tcp: ${values.join(' ')}\n`;
  t.equal(segmentsIn(snmp('-1', '20', '30', '2')), 52);
  t.throws(() => segmentsIn(snmp('-1', '20')), /the kernel counts OutSegs/);
  t.end();
});

void t.test('bulk is held by what each of its packets is', async (t) => {
  assert(encap !== undefined, 'it is there');
  const work = await workOfPath(plan, encap, 'bulk');
  const broken = (lookups: number, recirculations: number) =>
    inspect(plan, work, 'unknown', {
      ...{ trial, between: [] },
      counted: { lookups, recirculations, upcalls: 0 },
    })
      .filter(({ holds }) => !holds)
      .map(({ what }) => what);
  t.strictSame(broken(work.lookups * 417, work.recirculations * 417), []);
  t.strictSame(broken(work.lookups * 417, work.recirculations * 390), [
    'recirculations of 100 lookups',
  ]);
  t.end();
});

void t.test('a plan with checksums has them', async (t) => {
  assert(encap !== undefined, 'it is there');
  const work = await workOfPath(plan, encap, 'connections');
  const summed = faultedPlan(plan, 'tunnel-checksum');
  for (const [sum, holds] of [
    [5, true],
    [0, false],
  ] as const)
    t.equal(
      inspect(summed, work, 'both', { trial, between: [frame(6081, sum)] }).every(
        (one) => one.holds,
      ),
      holds,
    );
});
