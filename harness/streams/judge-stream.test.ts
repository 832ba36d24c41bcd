// Goal: a stream is held to its frames byte for byte, and to its goodput within a thousandth.
// Method: packets at the pace of a link, and the same with a frame and a pace that are wrong.
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
  t.same(judgeStream(predicted, measureStream(stream(1514, 1398, 121_120))), []);
});

void t.test('a header more, and another pace', async (t) => {
  t.match(judgeStream(predicted, measureStream(stream(1522, 1398, 121_760))), [
    /99 frames of 1522 bytes with 1398 of data; expected 1514 with 1398/,
    /goodput 91\.853 Mbit\/s, expected 92\.338 Mbit\/s: -0\.53 % off/,
  ]);
  t.match(judgeStream(predicted, measureStream(stream(1514, 1398, 121_000))), []);
  t.match(judgeStream(predicted, measureStream(stream(1514, 1398, 120_000))), [/0\.93 % off/]);
  t.match(judgeStream(predicted, measureStream([])), [/goodput 0\.000 Mbit/]);
});
