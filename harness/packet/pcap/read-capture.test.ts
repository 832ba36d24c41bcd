/**
 * Goal: capture files of both formats give back their packets, and malformed ones are answered with
 * file and byte, whatever is wrong. Method: files made here in both byte orders, ours and
 * tcpdump's; then bytes of good files changed or cut off at random places.
 */
import fc from 'fast-check';
import t from 'tap';
import { InputError } from '../../base/errors/errors.js';
import { encodePcapng } from './encode-pcapng.js';
import { encodePcap } from './pcap.js';
import { readCapture } from './read-capture.js';

const hex = (...parts: readonly string[]) =>
  Uint8Array.from(Buffer.from(parts.join('').replace(/\s/g, ''), 'hex'));
const frame = '0a0000000001 0a0000000002 88b5 0102';
const bytes = hex(frame);
/** One packet in classic format, big-endian, times in nanoseconds. */
const bigEndian = [
  'a1b23c4d 0002 0004 00000000 00000000 0000ffff 00000001',
  '00000001 00000002 00000010 00000010',
  frame,
];
/**
 * pcapng, big-endian: a section, an interface without a name, a name resolution block, a simple
 * packet.
 */
const bigEndianNg = [
  '0a0d0d0a 0000001c 1a2b3c4d 0001 0000 ffffffffffffffff 0000001c',
  '00000001 00000014 0001 0000 00000000 00000014',
  '00000004 00000010 00000000 00000010',
  '00000003 00000020 00000010',
  frame,
  '00000020',
];

void t.test('both formats', (t) => {
  t.strictSame(
    readCapture(encodePcap([bytes, bytes]), 'f').map((packet) => packet.frame),
    [bytes, bytes],
  );
  t.strictSame(readCapture(hex(...bigEndian), 'f'), [{ at: 24, frame: bytes }]);
  t.strictSame(readCapture(hex(...bigEndianNg), 'f'), [{ at: 64, frame: bytes }]);
  const ours = encodePcapng({
    application: 'test',
    interfaces: [
      { name: 'n1/p1', description: '' },
      { name: '', description: '' },
    ],
    packets: [
      { interface: 0, timeUs: 0, direction: 'outbound', comment: 'a comment', frame: bytes },
      { interface: 1, timeUs: 0, direction: 'inbound', comment: '', frame: bytes },
    ],
  });
  t.match(readCapture(ours, 'f'), [
    { interface: 'n1/p1', direction: 'outbound', frame: bytes },
    { interface: undefined, direction: 'inbound', frame: bytes },
  ]);
  t.strictSame(readCapture(encodePcap([]), 'f'), []);
  t.end();
});

void t.test('what is wrong is reported with its byte', (t) => {
  const wrong = (file: Uint8Array, message: RegExp) =>
    t.throws(() => readCapture(file, 'x.pcap'), { name: 'InputError', message }, String(message));
  const part = (parts: readonly string[], index: number, text: string) =>
    hex(...parts.with(index, text));
  wrong(hex(), /^x\.pcap: expected a pcap or pcapng file, got one that begins with nothing/);
  wrong(hex('a1b2cd34 0000'), /begins with a1b2cd34/);
  wrong(hex(...bigEndian).subarray(0, 20), /^x\.pcap: byte 20: the file ends within its header/);
  wrong(
    hex(...bigEndian).subarray(0, 30),
    /^x\.pcap: byte 24: the file ends within the header of packet 1/,
  );
  wrong(
    hex(...bigEndian).subarray(0, 50),
    /byte 24: packet 1 has 16 bytes, but the file ends after 10/,
  );
  wrong(
    part(bigEndian, 0, 'a1b2c3d4 0003 0004 00000000 00000000 0000ffff 00000001'),
    /byte 4: expected version 2 of the format, got 3/,
  );
  wrong(
    part(bigEndian, 0, 'a1b2c3d4 0002 0004 00000000 00000000 0000ffff 00000071'),
    /byte 20: expected packets with Ethernet headers \(link type 1\), got link type 113/,
  );
  wrong(
    part(bigEndian, 1, '00000001 00000002 00000010 00000040'),
    /byte 24: of a packet of 64 bytes only 16 were captured/,
  );
  wrong(
    hex(
      'a1b2c3d4 0002 0004 00000000 00000000 0000ffff 00000001 00000000 00000000 00000004 ' +
        '00000004 01020304',
    ),
    /byte 24: expected a frame of at least 14 bytes, got 4/,
  );
  wrong(
    part(bigEndianNg, 0, '0a0d0d0a 0000001c 11111111 0001 0000 ffffffffffffffff 0000001c'),
    /byte 8: expected the byte-order magic/,
  );
  wrong(
    part(bigEndianNg, 1, '00000001 00000014 0071 0000 00000000 00000014'),
    /byte 64: .*link type 113/,
  );
  wrong(
    part(bigEndianNg, 1, '00000001 00000010 00010000 00000010'),
    /byte 28: the description of an interface has at least 8 bytes, not 4/,
  );
  wrong(
    part(bigEndianNg, 1, '00000001 00000014 0001 0000 00000000 00000018'),
    /byte 44: a block that begins with length 20 ends with length 24/,
  );
  wrong(
    part(bigEndianNg, 1, '00000001 00000018 0001 0000 00000000 0002 0009 00000018'),
    /byte 44: an option of 9 bytes goes past/,
  );
  wrong(part(bigEndianNg, 1, ''), /byte 44: a packet of interface 0, but the file describes 0/);
  wrong(
    part(bigEndianNg, 2, '00000004 0000000a 00000000 00000010'),
    /byte 52: a block has at least 12 bytes, by fours, not 10/,
  );
  wrong(part(bigEndianNg, 2, '00000002 00000010 00000000 00000010'), /byte 48: .*obsolete type 2/);
  wrong(
    part(bigEndianNg, 3, '00000003 00000020 00000090'),
    /byte 64: a packet of 144 bytes in a block that has room for 16/,
  );
  wrong(
    hex(...bigEndianNg).subarray(0, 80),
    /byte 64: a block of 32 bytes, but the file ends after 16/,
  );
  wrong(
    hex(...bigEndianNg).subarray(0, 70),
    /byte 64: the file ends within a block: 6 bytes are left/,
  );
  t.end();
});

void t.test('no bytes make it crash', (t) => {
  const good = [encodePcap([bytes, bytes]), hex(...bigEndian), hex(...bigEndianNg)];
  const changes = fc.array(fc.tuple(fc.nat(200), fc.nat(255)), { maxLength: 4 });
  fc.assert(
    fc.property(fc.constantFrom(...good), changes, fc.nat(200), (whole, edits, length) => {
      const file = whole.slice(0, length);
      for (const [at, value] of edits) if (at < file.length) file[at] = value;
      try {
        readCapture(file, 'f');
      } catch (error) {
        if (!(error instanceof InputError)) throw error;
      }
    }),
    { numRuns: 2000 },
  );
  t.end();
});
