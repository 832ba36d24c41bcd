/**
 * Goal: IPv6 addresses are read in every spelling and written as the C library writes them. Method:
 * a table of spellings, what Open vSwitch prints for each; any number there and back.
 */
import fc from 'fast-check';
import t from 'tap';
import { formatIpv6, ipv6Number } from './ipv6.js';

const spellings: readonly (readonly [spelling: string, written: string])[] = [
  ['::', '::'],
  ['::1', '::1'],
  ['fe80::1', 'fe80::1'],
  ['FE80:0:0:0:0:0:0:1', 'fe80::1'],
  ['1:0:0:2:0:0:0:3', '1:0:0:2::3'],
  ['1:0:0:2:3:0:0:4', '1::2:3:0:0:4'],
  ['1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7:8'],
  ['1:0:3:4:5:6:7:8', '1:0:3:4:5:6:7:8'],
  ['1::', '1::'],
  ['::ffff:1.2.3.4', '::ffff:1.2.3.4'],
  ['::1:2', '::0.1.0.2'],
  ['::ffff:ffff:ffff', '::ffff:255.255.255.255'],
  ['64:ff9b::1.2.3.4', '64:ff9b::102:304'],
  ['ffff::', 'ffff::'],
  ['1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:0'],
  ['::ffff:255.255.255.255', '::ffff:255.255.255.255'],
  ['0000:0000:0000:0000:0000:ffff:255.255.255.255', '::ffff:255.255.255.255'],
];

void t.test('spellings', async (t) => {
  for (const [spelling, written] of spellings)
    t.equal(formatIpv6(ipv6Number(spelling)), written, spelling);
  fc.assert(
    fc.property(
      fc.bigInt(0n, (1n << 128n) - 1n),
      fc.nat(127),
      (value, shift) => ipv6Number(formatIpv6(value >> BigInt(shift))) === value >> BigInt(shift),
    ),
  );
});

void t.test('refusals', async (t) => {
  for (const text of [
    '',
    ':',
    '1',
    ':::',
    '1::2::3',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '::12345',
    '::g',
    '1.2.3.4',
    '::1.2.3.256',
    '::1.2.3',
    '1:2:3:4:5:6:7:8::',
    '::1%eth0',
    '1:2:3:4::5:6:7:8::9',
    '::1.2.3.4x',
    '::1.2.3.4.5',
    '::x1.2.3.4',
    '::1.2.3.4567',
    ':'.repeat(100_000),
  ]) {
    t.throws(() => ipv6Number(text), { name: 'InputError' }, text.slice(0, 40));
  }
});
