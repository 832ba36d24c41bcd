/** What is measured of a path. */

/** How long a unit takes, and how much of processors the switches and the hosts need for it. */
export const needs = ['time', 'processor', 'hosts'] as const;
export type Need = (typeof needs)[number];

export interface Measure {
  readonly unit: string;
  readonly summary: string;
  /** What is counted, in the model as well. */
  readonly counts: 'segments' | 'datagrams' | 'connections' | 'requests';
  /** Of iperf3; missing where another program makes the traffic. */
  readonly iperf3?: {
    readonly datagramsPerSecond?: number | 'as many as it can';
    readonly parallel?: number;
    readonly direction?: 'reverse';
  };
  /** Clients that work at the same time, each by itself; one where it is missing. */
  readonly clients?: number;
  /**
   * Whether it may be stopped and go on all the time. Who sends at a rate makes up for the time in
   * which it was stopped, and of who floods, nothing came through in
   * some rounds.
   */
  readonly inSlices: boolean;
  /** What says something: what is sent at a given rate takes the time that it takes. */
  readonly needs: readonly [Need, ...Need[]];
}

export const measures = {
  bulk: {
    unit: 'Mbit/s',
    summary: 'one TCP connection that sends as fast as it can',
    counts: 'segments',
    iperf3: {},
    inSlices: true,
    needs,
  },
  parallel: {
    unit: 'Mbit/s',
    summary: 'four of them at once',
    counts: 'segments',
    iperf3: { parallel: 4 },
    inSlices: true,
    needs,
  },
  reverse: {
    unit: 'Mbit/s',
    summary: 'one whose server sends',
    counts: 'segments',
    iperf3: { direction: 'reverse' },
    inSlices: true,
    needs,
  },
  datagrams: {
    unit: 'datagrams/s',
    summary: 'UDP of 1,200 bytes, as fast as it can',
    counts: 'datagrams',
    iperf3: { datagramsPerSecond: 'as many as it can' },
    inSlices: false,
    needs: ['time', 'processor'],
  },
  paced: {
    unit: 'datagrams/s',
    summary: 'UDP of 1,200 bytes, 2,000 a second',
    counts: 'datagrams',
    iperf3: { datagramsPerSecond: 2000 },
    inSlices: false,
    needs: ['processor'],
  },
  connections: {
    unit: 'connections/s',
    summary: 'TCP, opened and closed, sixteen at once',
    counts: 'connections',
    clients: 16,
    inSlices: true,
    needs,
  },
  requests: {
    unit: 'requests/s',
    summary: 'HTTP by k6, of four clients that keep their connections',
    counts: 'requests',
    clients: 4,
    inSlices: true,
    needs,
  },
} as const satisfies Readonly<Record<string, Measure>>;
export type MeasureName = keyof typeof measures;

export const measureNames = Object.keys(measures) as readonly MeasureName[];
/** Those that are made where none is named. */
export const usualMeasures: readonly MeasureName[] = [
  'bulk',
  'datagrams',
  'connections',
  'requests',
];

export function measureOf(name: MeasureName): Measure {
  return measures[name];
}

/** One trial. */
export interface Trial {
  /** Segments of data, datagrams that arrived, connections, or requests. */
  readonly units: number;
  /** Of all switches; missing where the datapath does not say. */
  readonly lookups?: number | undefined;
  readonly seconds: number;
  /** Processor time of all switches. */
  readonly switchNs: number;
  /** Of their main loops (`SwitchUse`). */
  readonly polls: number;
  /** Groups of cached flows that lookups have gone through (`SwitchUse`). */
  readonly probes: number;
  /** Processor time of the programs at both ends, and of the proxy between them. */
  readonly clientNs: number;
  readonly serverNs: number;
  readonly proxyNs: number;
}
