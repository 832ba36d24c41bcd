// Goal: messages of DHCP are written as RFC 2131 draws them, and read back. Method: one by hand,
// its fields at the places of the RFC; one that is cut off, and options that are.
import t from 'tap';
import { decodeDhcp, dhcpOption, encodeDhcp, type DhcpMessage } from './dhcp.js';

const message: DhcpMessage = {
  operation: 1,
  xid: 0x12345678,
  flags: 0x8000,
  ciaddr: '0.0.0.0',
  yiaddr: '10.0.0.9',
  chaddr: '0a:00:00:00:00:09',
  options: [
    { code: 53, value: Uint8Array.of(1) },
    { code: 12, value: Uint8Array.from(Buffer.from('vm1')) },
  ],
};

void t.test('fields have their places', async (t) => {
  const hex = Buffer.from(encodeDhcp(message)).toString('hex');
  t.match(hex, /^01010600123456780000800000000000\w{0}0a000009/);
  t.equal(hex.slice(2 * 28, 2 * 34), '0a0000000009');
  t.equal(hex.slice(2 * 236), '638253633501010c03766d31ff');
});

void t.test('what is written is read back', async (t) => {
  t.strictSame(decodeDhcp(encodeDhcp(message)), message);
  t.equal(decodeDhcp(encodeDhcp(message).subarray(0, 239)), undefined, 'cut off');
  t.equal(decodeDhcp(new Uint8Array(300)), undefined, 'no cookie');
});

void t.test(
  'an option that is cut off ends them, and zeros between them say nothing',
  async (t) => {
    const bytes = encodeDhcp({ ...message, options: [] });
    const options = decodeDhcp(
      Uint8Array.from([...bytes.subarray(0, 240), 0, 0, 53, 1, 2, 12, 9, 1]),
    )?.options;
    t.strictSame(options, [{ code: 53, value: Uint8Array.of(2) }]);
    t.strictSame(dhcpOption(options ?? [], 53), Uint8Array.of(2));
  },
);
