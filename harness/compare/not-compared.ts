/**
 * What a run does not compare, by name: in one place, for every report. Where something is compared
 * from now on, it goes from here.
 */

export interface NotCompared {
  readonly what: string;
  readonly why: string;
}

/** How many vectors were played how. */
export interface VectorCounts {
  readonly batched: number;
  /** In their cold pass alone. */
  readonly cold: number;
  /** Once each, with nothing reset in between. */
  readonly inTimeline: number;
  /** Whose work was asked for, and neither read in the model nor of the switches. */
  readonly unread: number;
  /** Whose work the model counted, and the switches' datapaths do not. */
  readonly uncounted: number;
  /** Whether controllers listen. */
  readonly hasControllers: boolean;
  /** Whether OVN programs the switches: ovn-trace is asked about packets then. */
  readonly hasOvn?: boolean;
}

const always: readonly NotCompared[] = [
  {
    what: 'counters of groups and their buckets',
    why: 'the model does not count them; the bucket that took a packet shows in its frames',
  },
  {
    what: 'counters of meters',
    why: 'the model does not count them; what a meter drops shows in frames',
  },
  {
    what: 'bytes, drops and errors of ports',
    why: 'packets received and sent are held against the frames that went in and came out',
  },
  {
    what: 'ages and durations of flows',
    why: 'the clock is stopped while packets pass; a timeout shows in the flow that expires',
  },
];

const packetIns: NotCompared = {
  what: 'packet-ins',
  why: 'the plan connects no controller',
};

const ovnTrace: NotCompared = {
  what:
    'what ovn-trace says of cached passes, of other zones than that of the sender, of packets to ' +
    'or from nodes that have restarted and are not programmed yet, and, counted as skipped, of ' +
    'packets at which it ends itself or differs behind what it supposes',
  why:
    'it follows a packet by the database of one zone, knows no cache and no node that is down, ' +
    'and supposes that a connection keeps its state from one datapath to the next (all that it ' +
    'supposes: docs/ovn.md)',
};

const orderOfPorts: NotCompared = {
  what: 'the order of frames at different ports',
  why: 'as of the copies of a flood: each port has a socket of its own',
};

/** In the order of reports. */
export function notCompared({
  batched,
  cold,
  inTimeline,
  unread,
  uncounted,
  hasControllers,
  hasOvn = false,
}: VectorCounts): readonly NotCompared[] {
  return [
    ...always,
    ...(hasControllers ? [] : [packetIns]),
    ...(hasOvn ? [ovnTrace] : []),
    orderOfPorts,
    ...whenAny(batched, {
      what: `the order of frames among ${batched} vectors of batches`,
      why:
        'Open vSwitch has an order of its own for what comes in at once; the frames ' +
        'themselves are compared, byte by byte',
    }),
    ...whenAny(batched, {
      what: `counters and state of each of ${batched} vectors of batches`,
      why: 'they are compared once a batch, between two resets',
    }),
    ...whenAny(cold, {
      what: `the cached path of ${cold} vectors`,
      why: 'they were played in their cold pass alone',
    }),
    ...whenAny(inTimeline, {
      what: `the cached path of ${inTimeline} vectors of a timeline`,
      why: 'each is played once: a second time would change what comes after it',
    }),
    ...whenAny(unread, {
      what: `the work of ${unread} vectors`,
      why:
        'the model counts it, from one reset to the next: vectors of a timeline have none ' +
        'between them, and two testbeds have no model',
    }),
    ...whenAny(uncounted, {
      what: `the work of ${uncounted} vectors on the switches`,
      why: "the kernel's datapath does not count recirculations",
    }),
  ];
}

function whenAny(vectors: number, one: NotCompared): readonly NotCompared[] {
  return vectors === 0 ? [] : [one];
}
