// Goal: a stream is held to its frames byte for byte, and to its goodput within a thousandth; the
// segment with the rest of the data may be shorter, wherever it comes. Method: packets at the pace
// of a link, and the same with a frame, a pace and an order that are wrong.
import t from 'tap';
import type { DataPacket } from './captured.js';
import { judgeStream, measureStream, predictStream } from './judge-stream.js';

const predicted = predictStream(1398, 1514, 100);

function stream(bytes: number, payload: number, everyNs: number): readonly DataPacket[] {
  return Array.from({ length: 100 }, (_, index) => ({
    atNs: BigInt(index * everyNs),
    bytes,
    payload,
    span: payload,
    sequence: index * payload,
    id: index,
  }));
}

void t.test('as predicted', async (t) => {
  t.equal(predicted.goodput.toFixed(0), '92338177');
  t.same(judgeStream(predicted, measureStream(stream(1514, 1398, 121_120), 'tcp')), []);
});

void t.test('a header more, and another pace', async (t) => {
  t.match(judgeStream(predicted, measureStream(stream(1522, 1398, 121_760), 'tcp')), [
    /99 frames of 1522 bytes with 1398 of data; expected 1514 with 1398/,
    /goodput 91\.853 Mbit\/s, expected 92\.338 Mbit\/s: -0\.53 % off/,
  ]);
  t.match(judgeStream(predicted, measureStream(stream(1514, 1398, 121_000), 'tcp')), []);
  t.match(judgeStream(predicted, measureStream(stream(1514, 1398, 120_000), 'tcp')), [
    /0\.93 % off/,
  ]);
  t.match(judgeStream(predicted, measureStream([], 'tcp')), [/goodput 0\.000 Mbit/]);
});

void t.test('the segment with the rest', async (t) => {
  const full = stream(1514, 1398, 121_120).map((packet) => ({
    ...packet,
    sequence: (packet.sequence + 0xffff_0000) >>> 0,
  }));
  const rest = {
    atNs: 12_112_000n,
    bytes: 1406,
    payload: 1290,
    span: 1291,
    id: 100,
    sequence: (100 * 1398 + 0xffff_0000) >>> 0,
  };
  const again = { ...full[40], atNs: 12_200_000n, id: 101 } as DataPacket;
  const judged = (...packets: readonly DataPacket[]) =>
    judgeStream(predicted, measureStream([...full, ...packets], 'tcp'), 'frames alone');
  t.same(judged(rest), []);
  t.same(judged(rest, again), [], 'one that was lost comes behind it');
  t.same(judged(rest, again, { ...rest, id: 102 }), [], 'it is sent again itself');
  t.match(judged({ ...rest, sequence: (70_000 + 0xffff_0000) >>> 0 }, rest), [/1 frames of 1406/]);
});
