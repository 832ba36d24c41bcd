/**
 * Goal: what programs at both ends need is that of reference paths like theirs. Method: trials of
 * paths within a node, across nodes and by a proxy, whose programs need different times.
 */
import t from 'tap';
import type { Calibration } from './calibrate.js';
import { hostNeeds, reportedHostNeeds } from './host-needs.js';
import type { Trial } from './measures.js';
import type { PathWork } from './work-of-path.js';

// Two lookups a unit.
const work = { lookups: 2 } as PathWork;

function reference(
  name: string,
  switches: number,
  needs: readonly Pick<Trial, 'clientNs' | 'serverNs' | 'proxyNs'>[],
  proxy?: string,
): Calibration[number] {
  const path = { name, client: 'c', server: 's', ip: '192.0.2.1', ...(proxy && { proxy }) };
  const rest = { units: 9, lookups: 20, seconds: 1, switchNs: 0, polls: 0, probes: 0 };
  return { path, work, switches, trials: needs.map((one) => ({ ...rest, ...one })) };
}

const calibration: Calibration = [
  reference('plain', 1, [{ clientNs: 10, serverNs: 100, proxyNs: 0 }]),
  reference('tracked', 1, [
    { clientNs: 20, serverNs: 200, proxyNs: 0 },
    { clientNs: 90, serverNs: 900, proxyNs: 0 },
  ]),
  reference('wire', 2, [{ clientNs: 40, serverNs: 400, proxyNs: 0 }]),
  reference('relayed', 1, [{ clientNs: 50, serverNs: 500, proxyNs: 700 }], 'n1'),
];

void t.test('of a unit, in the middle of all trials of paths with as many switches', (t) => {
  t.same(hostNeeds(calibration, { switches: 1, path: {} }), { client: 2, server: 20, proxy: 0 });
  t.same(hostNeeds(calibration, { switches: 2, path: {} }), { client: 4, server: 40, proxy: 0 });
  t.end();
});

void t.test('a path by a proxy is like one by a proxy, however many switches it has', (t) => {
  const relayed = { client: 5, server: 50, proxy: 70 };
  for (const switches of [1, 2])
    t.same(hostNeeds(calibration, { switches, path: { proxy: 'n2' } }), relayed);
  t.end();
});

void t.test('a path that nodes route is like one that they route, where there is one', (t) => {
  const routed = {
    ...reference('routed', 1, [{ clientNs: 60, serverNs: 600, proxyNs: 0 }]),
    work: { ...work, forwards: 2 },
  };
  const needsOf = (switches: number, forwards: number) =>
    hostNeeds([...calibration, routed], { switches, path: {}, work: { forwards } });
  t.same(needsOf(1, 6), { client: 6, server: 60, proxy: 0 });
  t.same(needsOf(1, 0), { client: 2, server: 20, proxy: 0 });
  t.same(needsOf(2, 6), { client: 4, server: 40, proxy: 0 }, 'else with as many switches');
  t.end();
});

void t.test('a report has all of them, and 0 of a proxy that no path has', (t) => {
  const reported = {
    client: 2,
    server: 20,
    'client across nodes': 4,
    'server across nodes': 40,
    proxy: 70,
  };
  t.same(reportedHostNeeds(calibration), reported);
  t.same(reportedHostNeeds(calibration.slice(0, 3)), { ...reported, proxy: 0 });
  t.end();
});
