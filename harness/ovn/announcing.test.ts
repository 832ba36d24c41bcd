// Goal: of what ovn-controller announces each copy is released once, where a vector is about it and
// when it has come; what is not expected gets through; and where the clock is ours, what comes at
// another time does not. Method: messages as ovn-controller 25.03 sends them, a clock in memory.
import t from 'tap';
import type { Announcement } from '../domain/plan/bridge-plan.js';
import { messageSplitter } from '../ovs/openflow/openflow-messages.js';
import { encodeArp } from '../packet/protocols/link/arp.js';
import { encodeEthernet, etherTypes } from '../packet/protocols/link/ethernet.js';
import { announcing } from './announcing.js';

const mac = '0a:00:ac:1e:00:01';
const expected: Announcement = { datapath: 5, port: 1, mac, ip: '172.30.128.1' };

/** Sets metadata and reg14, and continues in table 8 (OpenFlow 1.5, section 7.2.6.6). */
function message(ip = expected.ip ?? '', tpa = ip, more = '') {
  const frame = encodeEthernet(
    { src: mac, dst: 'ff:ff:ff:ff:ff:ff', etherType: etherTypes.arp },
    encodeArp({ op: 1, sha: mac, spa: ip, tha: '00:00:00:00:00:00', tpa }),
  );
  const actions = Buffer.from(
    '00190010 80000408 0000000000000005'.replaceAll(' ', '') +
      '00190010 00011c04 00000001 00000000'.replaceAll(' ', '') +
      more +
      'ffff0010 00002320 000e fffd 08 000000'.replaceAll(' ', ''),
    'hex',
  );
  const fixed = Buffer.from(
    'ffffffff00000000' + '0001000c' + '80000004fffffffd' + '00000000',
    'hex',
  );
  fixed.writeUInt16BE(actions.length, 4);
  const header = Buffer.from('060d000000000001', 'hex');
  header.writeUInt16BE(8 + fixed.length + actions.length + frame.length, 2);
  const [read] = messageSplitter()(Buffer.concat([header, fixed, actions, frame]));
  if (read === undefined) throw new Error('a whole message');
  return read;
}

function played(clock: 'ours' | 'that of the machine') {
  let nowMs = 0;
  const out: number[] = [];
  const one = announcing(clock, () => nowMs);
  const comes = (atMs: number, what = message()) => {
    nowMs = atMs;
    return one.see(what, () => void out.push(atMs));
  };
  return { ...one, comes, out };
}

void t.test('each copy once', async (t) => {
  const { comes, expect, release, begin, out } = played('that of the machine');
  expect([expected]);
  t.equal(comes(100), 'hold');
  t.strictSame(out, []);
  await release(1);
  t.strictSame(out, [100]);
  comes(1900);
  comes(9000);
  await release(2);
  await release(1);
  await release(2, '172.30.128.9');
  t.strictSame(out, [100, 1900], 'in its order, and nothing of another address');
  begin();
  await release(1, '172.30.128.1');
  t.strictSame(out, [100, 1900, 100]);
});

void t.test('it is waited for', async (t) => {
  const { comes, expect, release, out } = played('that of the machine');
  expect([expected]);
  const asked = release(1);
  comes(5);
  await asked;
  t.strictSame(out, [5]);
});

void t.test('what is not expected gets through', async (t) => {
  const { comes, hold, expect, out } = played('that of the machine');
  t.equal(comes(1, message('10.0.0.9')), 'hold', 'before it is known what is');
  expect([expected]);
  t.strictSame(out, [1]);
  t.equal(comes(2, message('10.0.0.9')), 'pass');
  hold();
  t.equal(comes(3, message('10.0.0.9')), 'hold');
  expect([{ ...expected, ip: '10.0.0.9' }]);
  t.strictSame(out, [1]);
  t.equal(comes(4), 'pass', 'nor what is expected no more');
});

void t.test('other packets that it sends', (t) => {
  const { comes } = played('that of the machine');
  t.equal(comes(1, message('10.0.0.1', '10.0.0.2')), 'pass', 'it asks for another');
  const reg0 = '0019001000010004' + '0000000100000000';
  t.equal(comes(1, message(expected.ip, expected.ip, reg0)), 'pass', 'it answers a packet');
  t.end();
});

void t.test('by a clock of ours, at its time alone', async (t) => {
  for (const [second, wanted] of [
    [1010, [10, 1010]],
    [2010, [10]],
    [510, [10]],
  ] as const) {
    const { comes, expect, release, out } = played('ours');
    expect([expected]);
    comes(10);
    comes(second);
    await release(1);
    await release(2);
    t.strictSame(out, wanted, `the second at ${second} ms`);
  }
});
