/**
 * Goal: each segment of a connection has come to its end, or is named with its round and where it
 * was lost. Method: connections by hand, seen at three places; frames as a capture has them.
 */
import t from 'tap';
import { accountForConnection, type SeenConnection } from './account-connection.js';
import { judgeChange } from './judge-change.js';
import { segmentsOf, type Segment, type Way } from './segments.js';

const segment = (sequence: number, payload: number, id: number, way: Way = 'from the client') =>
  ({ atNs: 0n, bytes: 0, payload, span: payload, sequence, id, way, isReset: false }) as Segment;

/** A SYN with number 2^32 - 2, so that numbers wrap, and two rounds of 100 bytes each. */
const syn = { ...segment(0xfffffffe, 0, 1), span: 1 };
const [first, second] = [segment(0xffffffff, 100, 2), segment(99, 100, 3)];
const ack = segment(1, 0, 9, 'to the client');
const whole: SeenConnection = {
  atClient: [syn, first, ack, second],
  between: [syn, first, ack, second],
  atServer: [syn, first, ack, second],
};
const without = (seen: SeenConnection, places: readonly (keyof SeenConnection)[], gone: Segment) =>
  Object.fromEntries(
    Object.entries(seen).map(([place, segments]: [string, readonly Segment[]]) => [
      place,
      places.includes(place as keyof SeenConnection)
        ? segments.filter((one) => one !== gone)
        : segments,
    ]),
  ) as unknown as SeenConnection;
const played = {
  before: 1,
  within: 1,
  rounds: 2,
  wanted: 2,
  newOne: { cut: 'Connection timed out' },
};
const rules = { mayLose: 'nothing', newOne: 'no answer' } as const;

void t.test('all of a whole connection is there', (t) => {
  const account = accountForConnection(whole, 100);
  t.match(account, [
    { sent: 3, arrived: 3, lost: [], unexplained: [] },
    { sent: 1, arrived: 1, lost: [], unexplained: [] },
  ]);
  t.strictSame(judgeChange(rules, played, account), []);
  t.end();
});

void t.test('a lost segment has its round and its place, and is sent again or missed', (t) => {
  const account = accountForConnection(without(whole, ['between', 'atServer'], second), 100);
  t.match(account[0]?.lost, [{ round: 2, payload: 100, where: 'at the node of its sender' }]);
  t.match(account[0]?.unexplained, [/bytes 101 to 201 were lost and not sent again/]);
  const again = { ...second, id: 4 };
  const repaired: SeenConnection = {
    atClient: [...whole.atClient, again],
    between: [...whole.between, again],
    atServer: [syn, first, ack, again],
  };
  const [forth = account[0]] = accountForConnection(repaired, 100);
  t.match(forth, {
    lost: [{ round: 2, where: 'behind the network between nodes' }],
    sentAgain: 1,
    unexplained: [],
  });
  const accounts = forth === undefined ? [] : [forth];
  t.match(judgeChange(rules, played, accounts), [/round 2, is lost behind the network/]);
  t.strictSame(judgeChange({ ...rules, mayLose: 'while it is changed' }, played, accounts), []);
  const early = { ...played, before: 5, within: 7 };
  t.match(judgeChange({ ...rules, mayLose: 'while it is changed' }, early, accounts), [/round 2/]);
  t.end();
});

void t.test('what has come and is sent again is of the round in which that is', (t) => {
  const again = { ...second, id: 4 };
  const account = accountForConnection({ ...whole, atClient: [...whole.atClient, again] }, 100);
  t.match(account[0], {
    lost: [{ round: 3, sequence: 101, where: 'at the node of its sender' }],
    sentAgain: 1,
    unexplained: [],
  });
  const during = { ...played, before: 2, within: 2 };
  t.strictSame(judgeChange({ ...rules, mayLose: 'while it is changed' }, during, account), []);
  t.match(judgeChange(rules, during, account), [/of round 3, is lost/]);
  t.end();
});

void t.test('an acknowledgement that is lost counts, and nobody sends it again', (t) => {
  const account = accountForConnection(without(whole, ['atClient'], ack), 100);
  t.match(account[1], { sent: 1, arrived: 0, lost: [{ payload: 0 }], unexplained: [] });
  t.end();
});

void t.test('each other result is reported', (t) => {
  const account = accountForConnection(whole, 100);
  t.match(judgeChange(rules, { ...played, cut: 'Connection timed out' }, account), [/is cut/]);
  t.match(judgeChange(rules, { ...played, newOne: { at: 'far' } }, account), [/taken by far/]);
  t.match(judgeChange({ ...rules, newOne: { at: 'near' } }, played, account), [/near should/]);
  t.match(judgeChange(rules, played, [{ ...account[0], sent: 0 } as never]), [/nothing of it/]);
  t.end();
});

void t.test('segments are found by the end of their client, in a tunnel as well', (t) => {
  const inner =
    '0a000a0a01020a000a0a01010800' + // Ethernet
    '45000029000740004006000a0a0a01020a0a0202' + // IPv4 of 41 bytes, from 10.10.1.2
    '8ae4000700000005000000005010ffff00000000' + // from port 35556, sequence 5
    '41'.padEnd(12, '0'); // one byte, and Ethernet's padding
  const outer =
    '0200000000010200000000020800' +
    '45000000000000004011000aac1e0001ac1e0002' +
    'c00017c100000000' +
    '0000655800000000';
  const frames = [inner, outer + inner].map((hex) => ({
    direction: 'in' as const,
    atNs: 0n,
    bytes: hex.length / 2,
    head: Uint8Array.from(Buffer.from(hex, 'hex')),
  }));
  const found = { payload: 1, span: 1, sequence: 5, id: 7, way: 'from the client' };
  t.match(segmentsOf(frames, { ip: '10.10.1.2', port: 35_556 }), [found, found]);
  t.strictSame(segmentsOf(frames, { ip: '10.10.1.2', port: 35_557 }), []);
  t.end();
});
