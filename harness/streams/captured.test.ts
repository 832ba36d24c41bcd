/**
 * Goal: a capture that has lost frames is never taken for one that has seen all. Method: lines of
 * its program, as they are and with one that is missing.
 */
import t from 'tap';
import { framesOf } from './captured.js';

const frames = ['ready', 'in 1 60 aabb', 'out 2 61 cc'];

void t.test('the frames of a capture', async (t) => {
  t.strictSame(
    framesOf('the capture', [...frames, 'done 2 0']).map(({ direction, bytes }) => [
      direction,
      bytes,
    ]),
    [
      ['in', 60],
      ['out', 61],
    ],
  );
  t.throws(() => framesOf('the capture at p1', [...frames, 'done 5 3']), {
    name: 'Unavailable',
    message:
      "the capture at p1 has lost 3 of 5 frames, 3 of them for want of room in its socket's buffer",
  });
  t.throws(() => framesOf('the capture at p1', [...frames, 'done 3 0']), {
    message: /has lost 1 of 3 frames, 0 of them/,
  });
  t.throws(() => framesOf('the capture at p1', frames), { message: /has not ended/ });
});
