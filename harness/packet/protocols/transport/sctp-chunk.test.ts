// Goal: chunks and what they hold are written as RFC 9260 has them, and read no further than they
// go. Method: bytes written down from its figures; chunks and parameters that are too short, too
// long, or followed by others.
import t from 'tap';
import {
  decodeChunks,
  decodeInit,
  encodeChunk,
  encodeData,
  encodeInit,
  encodeSack,
  encodeShutdown,
  sctpChunkTypes,
} from './sctp-chunk.js';

const bytesOf = (hex: string): Uint8Array =>
  Uint8Array.from(Buffer.from(hex.replaceAll(' ', ''), 'hex'));
const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const same = (
  t: { equal: (actual: string, expected: string) => void },
  bytes: Uint8Array,
  hex: string,
) => {
  t.equal(hexOf(bytes), hex.replaceAll(' ', ''));
};

void t.test('types (section 3.2)', async (t) => {
  t.strictSame(sctpChunkTypes, {
    data: 0,
    init: 1,
    initAck: 2,
    sack: 3,
    abort: 6,
    shutdown: 7,
    shutdownAck: 8,
    cookieEcho: 10,
    cookieAck: 11,
    shutdownComplete: 14,
  });
});

void t.test('one behind the other', async (t) => {
  same(
    t,
    encodeChunk({ type: 10, flags: 2, value: bytesOf('0102030405') }),
    '0a 02 0009 0102030405 000000',
  );
  const two = bytesOf('0a02 0009 0102030405 000000 0b00 0004');
  t.strictSame(decodeChunks(two), [
    { type: 10, flags: 2, value: bytesOf('0102030405') },
    { type: 11, flags: 0, value: bytesOf('') },
  ]);
  for (const rest of [1, 2, 3])
    t.equal(decodeChunks(two.subarray(0, 12 + rest)), undefined, `${rest} bytes of a second`);
  t.strictSame(decodeChunks(bytesOf('')), []);
});

void t.test('INIT and INIT ACK (sections 3.3.2 and 3.3.3)', async (t) => {
  const init = { initiateTag: 0xdeadbeef, initialTsn: 0xfffffffe };
  const fixed = 'deadbeef 00010000 0001 0001 fffffffe';
  same(t, encodeInit(init), fixed);
  same(t, encodeInit(init, bytesOf('09080706')), `${fixed} 0007 0008 09080706`);
  const cases: readonly (readonly [parameters: string, cookie?: string])[] = [
    [''],
    ['0007'],
    ['000700'],
    ['0007 0004', ''],
    ['0007 0008 09080706', '09080706'],
    ['0007 0008 09080706 8000 0004', '09080706'],
    ['0008 0008 09080706'],
  ];
  for (const [parameters, cookie] of cases)
    t.strictSame(
      decodeInit(bytesOf(`${fixed} ${parameters}`)),
      cookie === undefined ? init : { ...init, cookie: bytesOf(cookie) },
      parameters,
    );
  t.equal(decodeInit(bytesOf(fixed).subarray(0, 15)), undefined);
});

void t.test('DATA, SACK and SHUTDOWN (sections 3.3.1, 3.3.4 and 3.3.8)', async (t) => {
  same(t, encodeData(0x01020304, bytesOf('aabb')), '01020304 0000 0000 00000000 aabb');
  same(t, encodeSack(0x01020304), '01020304 00010000 0000 0000');
  same(t, encodeShutdown(0x01020304), '01020304');
});
