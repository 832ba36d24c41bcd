// Goal: it is known which packets are held back from ovn-controller, whom others wait for in it,
// and for how long. Method: messages as flows of OVN's hand over, metadata as in
// learned-neighbours.test.ts, and a clock in memory.
import t from 'tap';
import type { HandedOver } from '../ovs/openflow/openflow-messages.js';
import { learning } from './learned.js';

const hex = (text: string) => Uint8Array.from(Buffer.from(text.replaceAll(' ', ''), 'hex'));
/** metadata 4; reg0 172.30.255.1; reg14 1, reg15 2. */
const metadata = hex('80000408 0000000000000004 80010008ac1eff0100000000 80010e080000000100000002');
const handed = (code: number): HandedOver => ({
  userdata: [0, 0, 0, code, 0, 0, 0, 0],
  frame: new Uint8Array(60),
  metadata,
});
const x1 = { datapath: 4, port: 2, ip: '172.30.255.1', mac: '0a:00:ac:1e:ff:01' };

void t.test('what is learned from is held back, and nothing else', (t) => {
  const held = Array.from({ length: 27 }, (_, code) => code).filter((code) =>
    learning().isHeldBack(handed(code)),
  );
  t.strictSame(held, [1, 4, 26]);
  t.end();
});

void t.test('whom packets wait for, once', (t) => {
  let nowMs = 100;
  const one = learning(() => nowMs);
  t.strictSame([one.waitedMs(), one.takeAwaited([x1])], [0, []]);
  one.isHeldBack(handed(0));
  nowMs = 350;
  t.equal(one.waitedMs(), 250);
  for (const other of [{ port: 1 }, { datapath: 3 }, { ip: '172.30.255.2' }])
    t.strictSame(one.takeAwaited([{ ...x1, ...other }]), [], JSON.stringify(other));
  t.match(one.takeAwaited([x1]), [{ datapath: 4, port: 2, ip: '172.30.255.1' }]);
  t.strictSame([one.waitedMs(), one.takeAwaited([x1])], [0, []]);
  t.end();
});
