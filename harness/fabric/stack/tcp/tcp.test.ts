/**
 * Goal: hosts speak TCP as RFC 9293 has it: every segment and every note of an exchange, what is
 * sent again and when, and what is done with segments that do not belong. Method: two hosts on a
 * wire that loses, doubles or adds segments; each exchange is written segment by segment, worked
 * out by hand, with sequence numbers that wrap around in the middle of it.
 */
import t from 'tap';
import { assert } from '../../../base/errors/errors.js';
import type { Observation } from '../../../domain/observation.js';
import type { ClusterPlan } from '../../../domain/plan/cluster-plan.js';
import type { HostPlan } from '../../../domain/plan/host-plan.js';
import type { FabricCall } from '../../../domain/switching.js';
import type { Stimulus, TcpFlag } from '../../../domain/test-vector.js';
import { decodeEthernet } from '../../../packet/protocols/link/ethernet.js';
import { decodeIpv4, ipProtocols } from '../../../packet/protocols/ip/ipv4.js';
import { decodeTcp, tcpFlags, type TcpHeader } from '../../../packet/protocols/transport/tcp.js';
import { runStimulus } from '../../fabric.js';
import { noMemories } from '../host.js';

const host = (name: string, index: number): HostPlan => ({
  name,
  kind: 'pod',
  routes: [],
  interfaces: [
    {
      name: 'eth0',
      port: `port-${name}`,
      mac: `02:00:00:00:00:0${index}`,
      ip: `10.0.0.${index}`,
      prefixLength: 24,
    },
  ],
});
const [a, b] = [host('a', 1), host('b', 2)];
const plan: ClusterPlan = { nodes: [{ node: 'n', bridges: [], hosts: [a, b] }] };
/** The opener's sequence numbers wrap around after its SYN and two bytes. */
const draws = {
  identifier: 7,
  srcPort: 50000,
  payload: Uint8Array.of(1, 2, 3, 4),
  sequences: { opener: 0xfffffffd, answerer: 5000 },
};

interface Seen {
  readonly from: string;
  readonly tcp: TcpHeader;
  readonly payload: Uint8Array;
}

function read(frame: Uint8Array): Seen | undefined {
  const ip = decodeIpv4(decodeEthernet(frame)?.payload ?? new Uint8Array());
  if (ip?.header.protocol !== ipProtocols.tcp) return undefined;
  const tcp = decodeTcp(ip.payload, ip.header);
  return tcp === undefined
    ? undefined
    : { from: ip.header.src === '10.0.0.1' ? 'a' : 'b', tcp: tcp.header, payload: tcp.payload };
}

/** What happens to the `nth` segment on the wire, counted from 1: how many copies arrive. */
type Wire = (nth: number) => number;
const perfect: Wire = () => 1;

function play(stimulus: Stimulus, wire: Wire = perfect, memories = noMemories()): Observation {
  const fabric = runStimulus(plan, stimulus, draws, memories);
  let segments = 0;
  const carry = (call: FabricCall) => {
    if (call.kind !== 'receive') return { outputs: [] };
    const [frame] = call.frames;
    assert(frame !== undefined, 'a frame a call');
    const copies = read(frame) === undefined ? 1 : wire(++segments);
    return {
      outputs: Array.from({ length: copies }, () => ({
        port: call.port === 'port-a' ? 'port-b' : 'port-a',
        frame,
      })),
    };
  };
  for (let asked = fabric.next(); ; asked = fabric.next(asked.value.map(carry)))
    if (asked.done === true) return asked.value;
}

/**
 * `a SYN 0+0`: who sent which flags, where in the sequence, how much, and what it acknowledged;
 * counted from the initial numbers.
 */
function inWords({ frames }: Observation): readonly string[] {
  return frames
    .filter(({ direction }) => direction === 'in')
    .flatMap(({ frame }) => {
      const seen = read(frame);
      if (seen === undefined) return [];
      const { from, tcp, payload } = seen;
      const flags = Object.entries(tcpFlags)
        .filter(([, bit]) => (tcp.flags & bit) !== 0)
        .map(([name]) => name)
        .join('+');
      const [own, other] =
        from === 'a'
          ? [draws.sequences.opener, draws.sequences.answerer]
          : [draws.sequences.answerer, draws.sequences.opener];
      const acknowledged =
        (tcp.flags & tcpFlags.ACK) === 0 ? '' : ` ack ${(tcp.acknowledgement - other) | 0}`;
      return [`${from} ${flags} ${(tcp.sequence - own) | 0}+${payload.length}${acknowledged}`];
    });
}

const noted = ({ notes }: Observation) =>
  notes
    .filter(({ kind }) => kind !== 'resolved')
    .map(({ host: name, timeUs: _, ...note }) => `${name}: ${Object.values(note).join(' ')}`);
const withoutDrops = (seen: Observation) =>
  noted(seen).filter((note) => !note.includes(' dropped '));
const secondsOf = ({ frames }: Observation, flags: number) =>
  frames
    .filter(({ direction, frame }) => direction === 'in' && read(frame)?.tcp.flags === flags)
    .map(({ timeUs }) => Math.floor(timeUs / 1_000_000));
const echo: Stimulus = { kind: 'tcp', from: 'a', to: '10.0.0.2', port: 7 };
const wholeExchange = [
  'a SYN 0+0',
  'b SYN+ACK 0+0 ack 1',
  'a ACK 1+0 ack 1',
  'a PSH+ACK 1+4 ack 1',
  'b PSH+ACK 1+4 ack 5',
  'a FIN+ACK 5+0 ack 5',
  'b FIN+ACK 5+0 ack 6',
  'a ACK 6+0 ack 6',
];
const wholeStory = [
  'a: connected opener 10.0.0.2',
  'b: connected answerer 10.0.0.1',
  'b: received tcp 10.0.0.1 10.0.0.2 64',
  'a: received tcp 10.0.0.2 10.0.0.1 64',
  'a: closed 10.0.0.2',
  'b: closed 10.0.0.1',
];

void t.test('an exchange from handshake to close', async (t) => {
  const seen = play(echo);
  t.strictSame(inWords(seen), wholeExchange);
  t.strictSame(noted(seen), wholeStory);
  const [syn, synAck] = seen.frames
    .filter(({ direction }) => direction === 'in')
    .map(({ frame }) => read(frame))
    .filter((segment) => segment !== undefined);
  t.strictSame(
    [syn?.tcp.options, synAck?.tcp.options].map((options) => [...(options ?? [])]),
    [
      [2, 4, 5, 130],
      [2, 4, 5, 130],
    ],
    'both say how large segments may be: 1410 bytes',
  );
  t.ok((seen.frames.at(-1)?.timeUs ?? 0) < 1_000_000, 'no timer is waited for');
});

void t.test('a probe only opens and closes', async (t) => {
  const seen = play({ ...echo, kind: 'probe' });
  t.strictSame(inWords(seen), [
    'a SYN 0+0',
    'b SYN+ACK 0+0 ack 1',
    'a ACK 1+0 ack 1',
    'a FIN+ACK 1+0 ack 1',
    'b FIN+ACK 1+0 ack 2',
    'a ACK 2+0 ack 2',
  ]);
  t.strictSame(
    noted(seen),
    wholeStory.filter((note) => !note.includes('received')),
  );
});

void t.test(
  'a connection that is kept open: data both ways, again and again, by its name',
  async (t) => {
    const memories = noMemories();
    const ends = { from: 'a', to: '10.0.0.2', port: 7 };
    const open = (connection: string, wire?: Wire) =>
      play({ kind: 'open', ...ends, connection }, wire, memories);
    const talk = (connection: string, wire?: Wire) =>
      play({ kind: 'talk', ...ends, connection }, wire, memories);
    const opened = open('c');
    t.strictSame(inWords(opened), ['a SYN 0+0', 'b SYN+ACK 0+0 ack 1', 'a ACK 1+0 ack 1']);
    t.strictSame(noted(opened), wholeStory.slice(0, 2));
    t.strictSame(inWords(talk('c')), [
      'a PSH+ACK 1+4 ack 1',
      'b PSH+ACK 1+4 ack 5',
      'a ACK 5+0 ack 5',
    ]);
    const again = talk('c');
    t.strictSame(inWords(again), ['a PSH+ACK 5+4 ack 5', 'b PSH+ACK 5+4 ack 9', 'a ACK 9+0 ack 9']);
    t.strictSame(noted(again), wholeStory.slice(2, 4));
    t.equal(
      again.frames[0]?.timeUs,
      10,
      'each is counted from its own beginning, and nobody is asked for an address again',
    );
    t.strictSame(noted(talk('d')), ['a: dropped no connection d stands  ']);
    const before = memories.clock.nowUs;
    const lost = talk('c', () => 0);
    t.strictSame(
      [inWords(lost), noted(lost)],
      [['a PSH+ACK 9+4 ack 9'], ['a: timed-out 10.0.0.2']],
      'a segment is sent once',
    );
    t.equal(memories.clock.nowUs - before, 1_000_010 - 10, 'time continues');
    t.strictSame(noted(talk('c')), ['a: dropped no connection c stands  '], 'then it is over');
    t.strictSame(noted(open('e', () => 0)), ['a: timed-out 10.0.0.2']);
    t.strictSame(noted(talk('e')), ['a: dropped no connection e stands  '], 'it never stood');
  },
);

void t.test('a port that nobody listens on resets', async (t) => {
  const seen = play({ ...echo, port: 9 });
  t.strictSame(inWords(seen), ['a SYN 0+0', 'b RST+ACK -5000+0 ack 1']);
  t.strictSame(noted(seen), [
    'b: dropped nobody listens on TCP port 9 10.0.0.1 10.0.0.2',
    'a: refused 10.0.0.2',
  ]);
});

void t.test(
  'whichever segment is lost, it is sent again after a second, and the exchange ends as before',
  async (t) => {
    for (let lost = 1; lost <= wholeExchange.length; lost++) {
      const seen = play(echo, (nth) => (nth === lost ? 0 : 1));
      t.strictSame(
        withoutDrops(seen).toSorted(),
        wholeStory.toSorted(),
        `the loss of ${wholeExchange[lost - 1] ?? ''}`,
      );
      t.equal(
        (seen.frames.at(-1)?.timeUs ?? 0) >= 1_000_000,
        lost !== 3,
        'data makes up for the lost end of a handshake at once',
      );
    }
  },
);

void t.test('whichever segment comes twice, it counts once', async (t) => {
  for (let doubled = 1; doubled <= wholeExchange.length; doubled++) {
    const seen = play(echo, (nth) => (nth === doubled ? 2 : 1));
    t.strictSame(
      withoutDrops(seen).filter((note) => !note.includes('reset')),
      wholeStory,
      `two of ${wholeExchange[doubled - 1] ?? ''}`,
    );
  }
});

void t.test(
  'a host gives up 127 seconds after it began, having waited twice as long each time',
  async (t) => {
    const seen = play(echo, () => 0);
    t.strictSame(secondsOf(seen, tcpFlags.SYN), [0, 1, 3, 7, 15, 31, 63]);
    t.strictSame(
      seen.notes
        .filter(({ kind }) => kind === 'timed-out')
        .map(({ timeUs, host: name }) => `${name} ${Math.floor(timeUs / 1_000_000)}`),
      ['a 127'],
    );
    t.strictSame(
      secondsOf(
        play({ ...echo, kind: 'probe', transmissions: 3 }, () => 0),
        tcpFlags.SYN,
      ),
      [0, 1, 3],
      'a probe may give up sooner where asked',
    );
    const half = play(echo, (nth) => (nth === 1 ? 1 : 0));
    t.strictSame(
      half.notes.filter(({ kind }) => kind === 'timed-out').map(({ host: name }) => name),
      ['a', 'b'],
      'so does the one that answers',
    );
  },
);

void t.test('a segment that does not belong is dropped and changes nothing', async (t) => {
  const reasons = {
    'out-of-window': 'a segment outside the window',
    'syn-fin': 'a SYN in an established connection',
    'bad-checksum': 'a broken TCP segment',
  } as const;
  for (const [segment, why] of Object.entries(reasons)) {
    for (const by of ['opener', 'answerer'] as const) {
      const seen = play({
        kind: 'tcp',
        from: 'a',
        to: '10.0.0.2',
        port: 7,
        interjection: { by, segment: segment as keyof typeof reasons },
      });
      const addresses =
        by === 'opener' ? 'b: dropped X 10.0.0.1 10.0.0.2' : 'a: dropped X 10.0.0.2 10.0.0.1';
      t.strictSame(
        noted(seen).filter((note) => note.includes('dropped')),
        [
          addresses.replace(
            'X',
            segment === 'syn-fin' && by === 'answerer' ? reasons['syn-fin'] : why,
          ),
        ],
        `${segment} by ${by}`,
      );
      t.strictSame(withoutDrops(seen).toSorted(), wholeStory.toSorted(), `${segment} by ${by}`);
    }
  }
});

/** What host b, which knows of no connection, makes of one segment, and its outcome. */
function answerTo(...flags: readonly TcpFlag[]): readonly string[] {
  const payload = {
    kind: 'tcp',
    src: '10.0.0.1',
    dst: '10.0.0.2',
    ttl: 64,
    srcPort: 50000,
    dstPort: 7,
    flags,
    checksum: 'right',
  } as const;
  const seen = play({
    kind: 'frame',
    from: 'a',
    what: '',
    frame: { src: '02:00:00:00:00:01', dst: '02:00:00:00:00:02', payload },
  });
  return [...inWords(seen).slice(1), ...noted(seen)];
}

void t.test('segments of no connection', async (t) => {
  const notes = ['b: dropped a segment of no connection 10.0.0.1 10.0.0.2', 'a: reset 10.0.0.2'];
  t.strictSame(answerTo('ACK'), ['b RST 0+0', ...notes]);
  t.strictSame(answerTo('SYN', 'ACK'), ['b RST 0+0', ...notes]);
  t.strictSame(answerTo('SYN', 'FIN'), ['b RST+ACK -5000+0 ack 2', ...notes]);
  t.strictSame(answerTo('FIN'), ['b RST+ACK -5000+0 ack 1', ...notes]);
  t.strictSame(answerTo('RST'), ['b: reset 10.0.0.1'], 'a reset is not answered');
});
