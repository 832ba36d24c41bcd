/**
 * Goal: a capture is written and read without loss, and a file that is damaged is not read as
 * another one. Method: properties over arbitrary captures; the bytes of one small capture, spelled
 * out as the draft has them.
 */
import fc from 'fast-check';
import t from 'tap';
import { decodePcapng, encodePcapng, type Capture } from './encode-pcapng.js';

const text = fc.string({ unit: 'grapheme', maxLength: 40 });
const record = <T>(fields: { readonly [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> =>
  fc.record(fields, { noNullPrototype: true });
const capture: fc.Arbitrary<Capture> = record({
  application: text,
  interfaces: fc.array(record({ name: text, description: text }), { maxLength: 4 }),
  packets: fc.array(
    record({
      interface: fc.nat(3),
      timeUs: fc.maxSafeNat(),
      direction: fc.constantFrom('inbound', 'outbound'),
      comment: text,
      frame: fc.uint8Array({ maxLength: 80 }),
    }),
    { maxLength: 6 },
  ),
});

void t.test('what is written is read', (t) => {
  fc.assert(
    fc.property(capture, (whole) => {
      t.strictSame(decodePcapng(encodePcapng(whole)), whole);
    }),
  );
  t.end();
});

void t.test('a file that was cut short, or is another, is none', (t) => {
  fc.assert(
    fc.property(capture, fc.nat(), (whole, cut) => {
      const file = encodePcapng(whole);
      const read = decodePcapng(file.subarray(0, cut % file.length));
      if (read !== undefined)
        t.not(
          read.packets.length + read.interfaces.length,
          whole.packets.length + whole.interfaces.length,
          'it ends between two blocks',
        );
    }),
  );
  t.equal(decodePcapng(Uint8Array.of()), undefined);
  t.equal(
    decodePcapng(
      Uint8Array.from(Buffer.from('d4c3b2a1020004000000000000000000ffff000001000000', 'hex')),
    ),
    undefined,
    'classic pcap',
  );
  t.end();
});

void t.test('the bytes of one packet', (t) => {
  const file = encodePcapng({
    application: 'flowbed',
    interfaces: [{ name: 'n1/p1', description: '' }],
    packets: [
      {
        interface: 0,
        timeUs: 2 ** 32 + 10,
        direction: 'outbound',
        comment: 'ping',
        frame: Uint8Array.of(1, 2, 3, 4, 5),
      },
    ],
  });
  t.equal(
    Buffer.from(file).toString('hex'),
    [
      '0a0d0d0a',
      '2c000000',
      '4d3c2b1a',
      '01000000',
      'ffffffffffffffff',
      '04000700',
      '666c6f7762656400',
      '00000000',
      '2c000000',
      '01000000',
      '2c000000',
      '01000000',
      '00000000',
      '02000500',
      '6e312f7031000000',
      '09000100',
      '06000000',
      '00000000',
      '2c000000',
      '06000000',
      '3c000000',
      '00000000',
      '01000000',
      '0a000000',
      '05000000',
      '05000000',
      '0102030405000000',
      '01000400',
      '70696e67',
      '02000400',
      '02000000',
      '00000000',
      '3c000000',
    ].join(''),
  );
  t.end();
});
