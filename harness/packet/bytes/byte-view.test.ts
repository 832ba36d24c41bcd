// Goal: numbers in bytes are those that a DataView reads and writes, and beyond the bytes' end
// there are none. Method: both side by side, each kind of number at each place of short parts of a
// larger buffer; after writing, the whole buffer counts.
import t, { type Test } from 'tap';
import { ByteView } from './byte-view.js';

const numbers = ['Uint8', 'Uint16', 'Uint32'] as const;
const before = [0xff, 0x80, 0x7f, 0x01, 0xfe, 0x00, 0x81, 0x40, 0xc3, 0x55, 0xaa, 0x10];
const first = 2;
const lengths = [0, 1, 2, 3, 4, 5, 8];
const places = Array.from({ length: 10 }, (_, place) => place);

/** What `work` gives, with the buffer as it is then. */
function outcome(
  length: number,
  open: (bytes: Uint8Array) => ByteView | DataView,
  work: (view: ByteView | DataView) => unknown,
): { readonly said: unknown; readonly buffer: Uint8Array } {
  const buffer = Uint8Array.from(before);
  try {
    return { said: work(open(buffer.subarray(first, first + length))), buffer };
  } catch (error) {
    return { said: error instanceof RangeError ? 'no such bytes' : error, buffer };
  }
}

function compare(t: Test, work: (view: ByteView | DataView, place: number) => unknown): void {
  for (const length of lengths) {
    for (const place of places) {
      const ours = outcome(
        length,
        (bytes) => new ByteView(bytes),
        (view) => work(view, place),
      );
      t.strictSame(
        ours,
        outcome(
          length,
          (bytes) => new DataView(bytes.buffer, bytes.byteOffset, bytes.length),
          (view) => work(view, place),
        ),
        `byte ${place} of ${length}`,
      );
    }
  }
}

for (const number of numbers) {
  void t.test(`${number}, read and written`, (t) => {
    compare(t, (view, place) => view[`get${number}`](place));
    for (const value of [0, 1, 0x80, 0x1234, 0xfedc, 0x12345678, 0xffffffff, -2])
      compare(t, (view, place) => view[`set${number}`](place, value));
    t.end();
  });
}

void t.test('how many bytes there are, and where a number was looked for', (t) => {
  const view = new ByteView(Uint8Array.from(before));
  t.equal(view.byteLength, before.length);
  t.throws(() => view.getUint16(11), { name: 'RangeError', message: 'a number at byte 11 of 12' });
  t.end();
});
