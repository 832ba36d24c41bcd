/**
 * Goal: addresses of both families go into numbers and back, and blocks hold what they should.
 * Method: examples at the edges.
 */
import t from 'tap';
import {
  addressBlock,
  addressNumber,
  blockContains,
  formatAddress,
  fromIpv4,
  isIpv4Address,
  toIpv4,
} from './ip-address.js';

void t.test('addresses', (t) => {
  for (const text of ['10.0.0.1', '0.0.0.0', '255.255.255.255', 'fd00::1', '::', 'ff02::1:ff00:9'])
    t.equal(formatAddress(addressNumber(text)), text);
  t.strictSame(
    ['10.0.0.1', '::ffff:10.0.0.1', 'fd00::1', '::1'].map((text) =>
      isIpv4Address(addressNumber(text)),
    ),
    [true, true, false, false],
  );
  t.equal(fromIpv4(0xfffffffe), addressNumber('255.255.255.254'));
  t.equal(toIpv4(addressNumber('255.255.255.254')), 0xfffffffe);
  t.end();
});

void t.test('blocks', (t) => {
  const holds = (block: string, address: string) =>
    blockContains(addressBlock(block), addressNumber(address));
  t.strictSame(
    ['10.0.1.0', '10.0.1.255', '10.0.2.0', '::a00:100'].map((address) =>
      holds('10.0.1.7/24', address),
    ),
    [true, true, false, false],
  );
  t.strictSame(
    ['0.0.0.0', '255.1.2.3', 'fd00::1'].map((address) => holds('0.0.0.0/0', address)),
    [true, true, false],
  );
  t.strictSame(
    ['fd00::', 'fd00::ffff:1', 'fd00:0:0:1::'].map((address) => holds('fd00::/64', address)),
    [true, true, false],
  );
  t.ok(holds('10.0.0.1/32', '10.0.0.1'));
  t.notOk(holds('10.0.0.1/32', '10.0.0.0'));
  for (const text of [
    '10.0.0.0',
    '10.0.0.0/33',
    'fd00::/129',
    '10.0.0.0/8/8',
    '10.0.0.0/',
    '10.0.0/8',
  ])
    t.throws(() => addressBlock(text), { name: 'InputError' }, text);
  t.end();
});
