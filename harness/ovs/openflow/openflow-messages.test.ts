/**
 * Goal: what a switch sends a controller is read whole and exactly, wherever the stream is cut, and
 * what is wrong is refused. Method: a packet-in as ovs-vswitchd 3.5.0 sent it, cut at every place,
 * and with one thing broken at a time.
 */
import t from 'tap';
import { printMatch } from '../../openflow/match/print-match.js';
import {
  encodeExtension,
  encodeMessage,
  messageSplitter,
  readPacketIn,
  subtypes,
  types,
} from './openflow-messages.js';

/**
 * Properties as openflow/nicira-ext.h has them: type, length with these four bytes, value, zeros up
 * to 8 bytes.
 */
function property(type: number, value: string): string {
  const bytes = Buffer.from(value, 'hex');
  const header = Buffer.alloc(4);
  header.writeUInt16BE(type, 0);
  header.writeUInt16BE(4 + bytes.length, 2);
  return Buffer.concat([header, bytes, Buffer.alloc((8 - ((4 + bytes.length) % 8)) % 8)]).toString(
    'hex',
  );
}

const frame = '020000000002020000000001' + '88b5' + '00'.repeat(46);
const metadata =
  '80000004' +
  '00000001' +
  '80000408' +
  '0000000000000abc' +
  '00010004' +
  '00001234' +
  '0001d810' +
  '0'.repeat(30) +
  '07';
const parts = {
  packet: property(0, frame),
  table: property(3, '09'),
  cookie: property(4, '00000000' + '0000000000000099'),
  reason: property(5, '02'),
  metadata: property(6, metadata),
  continuation: property(8, '00000000' + '8005000800000003'),
  userdata: property(7, '010203'),
};
const body = Buffer.from(Object.values(parts).join(''), 'hex');

void t.test('a packet-in', async (t) => {
  const { metadata: known, resume, frame: bytes, ...others } = readPacketIn(body);
  t.strictSame(others, {
    reason: 'invalid_ttl',
    table: 9,
    cookie: 0x99n,
    length: 60,
    userdata: [1, 2, 3],
  });
  t.equal(Buffer.from(bytes).toString('hex'), frame);
  t.equal(printMatch(known), 'ct_label=0x7,reg0=0x1234,metadata=0xabc,in_port=1');
  const { userdata: _, ...resumed } = parts;
  t.equal(
    resume?.toString('hex'),
    Object.values(resumed).join(''),
    'it continues with all but what the flow said to the controller',
  );
  t.equal(
    readPacketIn(Buffer.from(parts.packet + parts.reason, 'hex')).resume,
    undefined,
    'one that does not wait',
  );
  t.match(readPacketIn(Buffer.from(parts.packet + parts.reason, 'hex')), {
    cookie: 0xffff_ffff_ffff_ffffn,
    table: 0,
    length: 60,
    userdata: [],
  });
  t.equal(
    readPacketIn(Buffer.from(property(1, '00000400') + parts.packet + parts.reason, 'hex')).length,
    1024,
  );
});

void t.test('the stream may be cut anywhere', async (t) => {
  const stream = Buffer.concat([
    encodeMessage(types.barrierReply, 7),
    encodeExtension(subtypes.packetIn2, 0, body),
    encodeMessage(types.echoRequest, 9, Buffer.from('abc')),
  ]);
  for (let cut = 0; cut <= stream.length; cut++) {
    const split = messageSplitter();
    const messages = [...split(stream.subarray(0, cut)), ...split(stream.subarray(cut))];
    if (
      messages
        .map(
          ({ type, subtype, xid, body: { length } }) =>
            `${type} ${subtype ?? '-'} ${xid} ${length}`,
        )
        .join() !== `21 - 7 0,4 30 0 ${body.length},2 - 9 3`
    )
      t.fail(`cut at ${cut}`);
  }
  for (const length of ['0008', '000f'])
    t.throws(
      () => messageSplitter()(Buffer.from(`0504${length}00000000` + '0000232000000000', 'hex')),
      {
        name: 'Unavailable',
        message: /^Open vSwitch reports a packet that waits in more than the 65,535 bytes/,
      },
      'a length that wrapped',
    );
  t.equal(messageSplitter()(Buffer.from('0504001000000000' + '000023200000001e', 'hex')).length, 1);
  t.throws(() => messageSplitter()(Buffer.from('0502000400000000', 'hex')), {
    message: 'a message of OpenFlow cannot be 4 bytes long',
  });
});

void t.test('what is broken is refused', async (t) => {
  const broken = (hex: string) => () => readPacketIn(Buffer.from(hex, 'hex'));
  t.throws(broken(parts.packet), /has a reason that is not known/);
  t.throws(broken(parts.packet + property(5, '06')), /has a reason that is not known/);
  t.throws(broken(`${parts.packet}0005`), /is cut off/);
  t.throws(broken(`${parts.packet}0005000c02000000`), /is cut off/);
  t.throws(broken(`${parts.packet}0005000302000000`), /is cut off/);
  t.throws(broken(parts.reason + property(6, '80000404')), /a field of a packet-in is cut off/);
  t.throws(
    broken(parts.reason + property(6, '8000f004' + '00000001')),
    /has a field that is not known/,
  );
  t.throws(
    broken(parts.reason + property(6, 'ffff2208' + '4f4e4600' + '00000001')),
    /has a field that is not known/,
    'of another experimenter',
  );
});
