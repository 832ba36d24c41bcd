// Goal: what waits in ovn-controller continues to the MAC address that is learned for it, in its
// order, and nothing else does. Method: packets handed over as flows of OVN's do (lib/actions.c),
// for neighbours that differ in one thing each.
import t from 'tap';
import { emptyKey, word, type FlowKey } from '../../packet/flow-key/flow-key.js';
import type { Frozen } from './frozen.js';
import { noLearning, noticeNeighbour, takeLearned, type Handed } from './waiting-packets.js';

const codes = { arp: 0, putArp: 1, putNd: 4, ndNs: 9 } as const;
const [inport, outport] = [14, 15];

interface Neighbour {
  readonly datapath?: number;
  readonly port?: number;
  readonly registers?: readonly number[];
}

function keyFor({ datapath = 4, port = 2, registers = [9] }: Neighbour, at: number): FlowKey {
  const key = emptyKey();
  key[word.metadata + 1] = datapath;
  key[word.reg + at] = port;
  for (const [index, value] of registers.entries()) key[word.reg + index] = value;
  return key;
}

function handed(code: number, neighbour: Neighbour, mark = 0): Handed {
  const frame = new Uint8Array(60).fill(mark, 20);
  frame.set([0x0a, 0, 0, 0, 0, 0x77], 6);
  const key = keyFor(neighbour, code === codes.arp || code === codes.ndNs ? outport : inport);
  return { userdata: [0, 0, 0, code, 0, 0, 0, 0], packet: { frame, tagsMax: 1 }, key };
}

const frozen = { table: 33, actions: [], stack: [], mirrored: 0 } as unknown as Frozen;

const marksAfter = (announced: Handed, ...waiting: readonly Handed[]) => {
  const learning = noLearning();
  for (const one of waiting) noticeNeighbour(learning, one, frozen);
  noticeNeighbour(learning, announced, undefined);
  const marks = takeLearned(learning).map(({ packet: { frame } }) => frame[30]);
  return { marks, left: learning.waiting.size, again: takeLearned(learning).length };
};

void t.test('it continues once, to the MAC address that was announced', (t) => {
  const learning = noLearning();
  const waits = handed(codes.arp, {}, 5);
  noticeNeighbour(learning, waits, frozen);
  t.strictSame(takeLearned(learning), [], 'nobody was announced');
  noticeNeighbour(learning, handed(codes.putArp, {}), undefined);
  const [one, ...more] = takeLearned(learning);
  t.strictSame([more, takeLearned(learning)], [[], []]);
  t.equal(one?.table, 33);
  const { frame = new Uint8Array(), key } = one?.packet ?? {};
  t.strictSame([...frame.subarray(0, 6)], [0x0a, 0, 0, 0, 0, 0x77]);
  t.strictSame(frame.subarray(6), waits.packet.frame.subarray(6));
  t.equal(key?.[word.reg + outport], 2, 'with its registers');
  t.end();
});

void t.test('four at most, the last ones, in their order', (t) => {
  const waiting = [1, 2, 3, 4, 5].map((mark) => handed(codes.arp, {}, mark));
  t.strictSame(marksAfter(handed(codes.putArp, {}), ...waiting).marks, [2, 3, 4, 5]);
  t.end();
});

void t.test('another neighbour waits on', (t) => {
  const others: readonly Neighbour[] = [{ datapath: 5 }, { port: 3 }, { registers: [8] }];
  for (const other of others)
    t.strictSame(
      marksAfter(handed(codes.putArp, other), handed(codes.arp, {})),
      { marks: [], left: 1, again: 0 },
      JSON.stringify(other),
    );
  t.end();
});

void t.test('of an address of IPv6 all of it counts', (t) => {
  const whole = { registers: [0xfd00, 0, 0, 9] };
  const waits = handed(codes.ndNs, whole, 6);
  t.strictSame(marksAfter(handed(codes.putNd, whole), waits).marks, [6]);
  const other = { registers: [0xfd00, 0, 0, 8] };
  t.strictSame(marksAfter(handed(codes.putNd, other), waits).marks, []);
  t.end();
});

void t.test('what has no order, or nowhere to continue, is refused', (t) => {
  const learning = noLearning();
  for (const port of [1, 2]) {
    noticeNeighbour(learning, handed(codes.arp, { port }), frozen);
    noticeNeighbour(learning, handed(codes.putArp, { port }), undefined);
  }
  t.throws(() => takeLearned(learning), /wait for 2 neighbours is not modelled/);
  const lost = noLearning();
  noticeNeighbour(lost, handed(codes.arp, {}), undefined);
  noticeNeighbour(lost, handed(codes.putArp, {}), undefined);
  t.throws(() => takeLearned(lost), /without a continuation/);
  t.end();
});
