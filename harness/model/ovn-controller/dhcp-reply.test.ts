// Goal: a request becomes the reply that ovn-controller makes of it, byte by byte. Method: requests
// by hand against an offer of 10.0.0.9; the reply's fields by RFC 2131. What the real one makes of
// them is compared wherever scenarios of OVN ask by DHCP.
import t from 'tap';
import { encodeEthernet } from '../../packet/protocols/link/ethernet.js';
import { decodeIpv4, encodeIpv4 } from '../../packet/protocols/ip/ipv4.js';
import { decodeDhcp, encodeDhcp } from '../../packet/protocols/transport/dhcp.js';
import { decodeUdp, encodeUdp } from '../../packet/protocols/transport/udp.js';
import { parsePacket } from '../packet/parse-packet.js';
import { answerOf } from './answer.js';

/** put_dhcp_opts into bit 99 of xxreg0, an offer of 10.0.0.9, and a router, 10.0.0.1. */
const userdata = [...Buffer.from('00000002000000000001de10000000630a00000903040a000001', 'hex')];

function request(type: number, requested: readonly number[] = [], flags = 0): Uint8Array {
  const dhcp = encodeDhcp({
    operation: 1,
    xid: 7,
    flags,
    ciaddr: '0.0.0.0',
    yiaddr: '0.0.0.0',
    chaddr: '0a:00:00:00:00:09',
    options: [
      { code: 53, value: Uint8Array.of(type) },
      ...(requested.length === 0 ? [] : [{ code: 50, value: Uint8Array.from(requested) }]),
    ],
  });
  const addresses = { src: '0.0.0.0', dst: '255.255.255.255' };
  return encodeEthernet(
    { src: '0a:00:00:00:00:09', dst: 'ff:ff:ff:ff:ff:ff', etherType: 0x800 },
    encodeIpv4(
      { ...addresses, ttl: 64, protocol: 17 },
      encodeUdp({ srcPort: 68, dstPort: 67 }, dhcp, addresses),
    ),
  );
}

function replyTo(frame: Uint8Array) {
  const answer = answerOf(userdata, parsePacket(frame, 1));
  if (answer?.kind !== 'resumed') throw new Error('it is not answered');
  const ip = decodeIpv4(answer.frame.subarray(14));
  const udp = ip === undefined ? undefined : decodeUdp(ip.payload, ip.header);
  return { ...answer, ip, udp, dhcp: decodeDhcp(udp?.payload ?? new Uint8Array()) };
}

void t.test('discover and request', async (t) => {
  const cases = [
    [1, [], 2, '10.0.0.9'],
    [3, [10, 0, 0, 9], 5, '10.0.0.9'],
    [3, [10, 0, 0, 8], 6, '0.0.0.0'],
  ] as const;
  for (const [type, requested, answer, yiaddr] of cases) {
    const { result, ip, udp, dhcp } = replyTo(request(type, requested));
    t.equal(result.field.name, 'xxreg0');
    t.equal(result.value, 1n << 99n, 'it says that it has answered');
    t.equal(ip?.checksum, 'valid');
    t.equal(ip?.header.dst, '10.0.0.9');
    t.equal(udp?.checksum, 'absent');
    t.match(dhcp, { operation: 2, xid: 7, yiaddr });
    t.strictSame(dhcp?.options[0], { code: 53, value: Uint8Array.of(answer) });
    t.equal(
      dhcp?.options.some(({ code }) => code === 3),
      answer !== 6,
      'a refusal has no options',
    );
  }
});

void t.test('a client without an address may ask for a broadcast', async (t) => {
  t.equal(replyTo(request(1, [], 0x8000)).ip?.header.dst, '255.255.255.255');
});

void t.test('what is no request stays as it is, and the bit says so', async (t) => {
  for (const frame of [request(7), request(1).subarray(0, 200)]) {
    const answer = replyTo(Uint8Array.from(frame));
    t.equal(answer.result.value, 0n);
    t.strictSame(answer.frame, Uint8Array.from(frame));
  }
});
