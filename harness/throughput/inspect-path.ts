/**
 * What of a path needs no statistics: the switches' own counters for a second of traffic, and what
 * crosses the network between nodes meanwhile.
 */
import type { ClusterPlan } from '../domain/plan/cluster-plan.js';
import type { CountedWork } from '../domain/work.js';
import type { Trial } from './measures.js';
import type { PathWork } from './work-of-path.js';

export interface ExactCheck {
  readonly what: string;
  /** As the model has it. */
  readonly expected: string;
  readonly actual: string;
  readonly holds: boolean;
}

/** Of a path, in a trial whose units each are a fixed number of packets. */
export interface Inspected {
  readonly trial: Trial;
  /** Missing where the datapath does not say. */
  readonly counted?: CountedWork;
  /** Of TCP, in and out at the client; missing where units are no segments of TCP. */
  readonly segments?: number;
  /** Of this trial and one before it, of thousands of units; missing as `counted` is. */
  readonly upcalls?: number;
  /** Frames between nodes, as long as all were taken. */
  readonly between: readonly Uint8Array[];
}

/**
 * Segments that are sent again are a few in thousands; beside datagrams iperf3 has a connection of
 * its own.
 */
const countAllowance = { both: 0.03, one: 0.1 } as const;

/**
 * How many packets a unit is: as many as in the model, or more where a slow end acknowledges by
 * itself; those of one direction alone; or nobody can say, because how often data is acknowledged
 * depends on who is faster.
 */
export type UnitPackets = keyof typeof countAllowance | 'unknown';

/**
 * However many units there are, they share the flows that a few packets of each kind have cached;
 * a switch that looks flows up beside its packets asks more than once meanwhile.
 */
const upcallsMax = 100;

export function inspect(
  plan: ClusterPlan,
  work: PathWork,
  packets: UnitPackets,
  { trial, counted, segments, upcalls, between }: Inspected,
): readonly ExactCheck[] {
  return [
    ...(counted === undefined ? [] : countChecks(work, packets, trial.units, counted, segments)),
    ...(upcalls === undefined
      ? []
      : [
          {
            what: 'upcalls since the first packet',
            expected: `at most ${upcallsMax}: what is cached is good for the next as well`,
            actual: String(upcalls),
            holds: upcalls <= upcallsMax,
          },
        ]),
    ...frameChecks(plan, between),
  ];
}

function countChecks(
  work: PathWork,
  packets: UnitPackets,
  units: number,
  { lookups, recirculations }: CountedWork,
  segments: number | undefined,
): readonly ExactCheck[] {
  if (packets === 'unknown') {
    // The same for each packet, however many there are.
    const [expected, actual] = [work.recirculations / work.lookups, recirculations / lookups];
    return [countCheck('recirculations of 100 lookups', expected * 100, actual * 100, 0.03)];
  }
  if (packets === 'both' && segments !== undefined)
    return [
      segmentsCheck(work.ends, segments / units),
      countCheck('lookups a segment', work.lookups / work.ends, lookups / segments, 0.03),
      countCheck(
        'recirculations a segment',
        work.recirculations / work.ends,
        recirculations / segments,
        0.03,
      ),
    ];
  const check = (what: string, expected: number, actual: number) =>
    countCheck(what, expected, actual, countAllowance[packets]);
  return [
    check('lookups a unit', work.lookups, lookups / units),
    check('recirculations a unit', work.recirculations, recirculations / units),
  ];
}

/**
 * Each segment reaches one end in the model. An end that is slow acknowledges before it answers,
 * each segment once at most (RFC 9293, section 3.8.6.3).
 */
function segmentsCheck(ends: number, actual: number): ExactCheck {
  return {
    what: 'segments a unit',
    expected: `${ends.toFixed(2)}, and at most as many acknowledgements`,
    actual: actual.toFixed(2),
    holds: actual >= ends * (1 - countAllowance.both) && actual <= ends * 2,
  };
}

function countCheck(what: string, expected: number, actual: number, allowance: number): ExactCheck {
  return {
    what,
    expected: expected.toFixed(2),
    actual: actual.toFixed(2),
    holds: Math.abs(actual - expected) <= Math.max(expected * allowance, 0.05),
  };
}

function frameChecks(plan: ClusterPlan, frames: readonly Uint8Array[]): readonly ExactCheck[] {
  const isIp = (frame: Uint8Array) => frame[12] === 8 && frame[13] === 0;
  const fragments = frames.filter(
    (frame) => isIp(frame) && (((frame[20] ?? 0) & 0x3f) | (frame[21] ?? 0)) !== 0,
  );
  const tunnelled = frames.filter(
    (frame) => isIp(frame) && frame[23] === 17 && tunnelPorts.has(portOf(frame)),
  );
  const summed = tunnelled.filter((frame) => ((frame[40] ?? 0) | (frame[41] ?? 0)) !== 0);
  const wantsSums = plan.nodes.some(({ bridges }) =>
    bridges.some(({ ports }) =>
      ports.some((port) => port.kind === 'tunnel' && port.options?.csum === 'true'),
    ),
  );
  return [
    {
      what: 'fragments between nodes',
      expected: '0',
      actual: String(fragments.length),
      holds: fragments.length === 0,
    },
    ...(tunnelled.length === 0
      ? []
      : [
          {
            what: 'tunnelled packets with a checksum of UDP',
            expected: wantsSums ? 'all' : '0',
            actual: `${summed.length} of ${tunnelled.length}`,
            holds: summed.length === (wantsSums ? tunnelled.length : 0),
          },
        ]),
  ];
}

const tunnelPorts: ReadonlySet<number> = new Set([6081, 4789]);

function portOf(frame: Uint8Array): number {
  return ((frame[36] ?? 0) << 8) | (frame[37] ?? 0);
}
