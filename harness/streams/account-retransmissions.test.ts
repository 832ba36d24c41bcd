// Goal: each segment that is sent again is explained by the one that was lost, and nothing that was
// lost is passed over. Method: streams of three and four segments, as they were sent and arrived.
import t from 'tap';
import { accountForLosses } from './account-retransmissions.js';
import type { DataPacket } from './captured.js';

function packet(sequence: number, id: number, payload = 100): DataPacket {
  return { atNs: BigInt(id), bytes: payload + 66, payload, span: payload, sequence, id };
}

void t.test('a segment that was lost is sent again', async (t) => {
  const sent = [packet(0, 1), packet(100, 2), packet(200, 3), packet(100, 4)];
  const account = accountForLosses(sent, [packet(0, 1), packet(200, 3), packet(100, 4)]);
  t.same(account.lost, [{ ...packet(100, 2), sentAt: 100 }]);
  t.match(account.retransmissions, [{ sequence: 100, why: 'lost before' }]);
  t.same(account.unexplained, []);
});

void t.test('one that had not been lost is sent again for nothing', async (t) => {
  const sent = [packet(0, 1), packet(100, 2), packet(0, 3)];
  const account = accountForLosses(sent, sent);
  t.match(account.retransmissions, [{ sequence: 0, why: 'spurious' }]);
  t.same(account.lost, []);
});

void t.test('one that is sent again for nothing, and lost then, is not missed', async (t) => {
  const sent = [packet(0, 1), packet(100, 2), packet(0, 3, 200)];
  const account = accountForLosses(sent, sent.slice(0, 2));
  t.match(account.retransmissions, [{ sequence: 0, why: 'spurious' }]);
  t.same(account.lost, [{ ...packet(0, 3, 200), sentAt: 200 }], 'sent behind all of it');
  t.same(account.unexplained, []);
  const half = accountForLosses(sent, sent.slice(0, 1));
  t.same(half.unexplained, ['bytes 100 to 200 were lost and not sent again']);
});

void t.test('a loss that is repaired in parts, and one twice', async (t) => {
  const sent = [packet(0, 1, 200), packet(0, 2), packet(100, 3), packet(100, 4)];
  const account = accountForLosses(sent, [packet(0, 2), packet(100, 4)]);
  t.match(
    account.retransmissions.map(({ why }) => why),
    ['lost before', 'lost before', 'lost before'],
  );
  t.same(account.unexplained, []);
});

void t.test('what is lost and not sent again, and what nobody has sent', async (t) => {
  t.same(accountForLosses([packet(0, 1)], []).unexplained, [
    'bytes 0 to 100 were lost and not sent again',
  ]);
  t.match(accountForLosses([], [packet(0, 1)]).unexplained, [/that nobody is seen to have sent/]);
});
