// Goal: a frame is said to ovn-trace by all fields that logical flows match. Method: one frame a
// protocol, as hosts make them.
import t from 'tap';
import { encodeIpv4 } from '../../packet/protocols/ip/ipv4.js';
import { encodeEthernet, etherTypes } from '../../packet/protocols/link/ethernet.js';
import { encodeUdp } from '../../packet/protocols/transport/udp.js';
import { microflow } from './microflow.js';

const [src, dst] = ['10.0.0.1', '10.0.0.2'];
const macs = { src: '0a:00:00:00:00:01', dst: '0a:00:00:00:00:02' };

void t.test('a datagram', async (t) => {
  const udp = encodeUdp({ srcPort: 4000, dstPort: 53 }, new Uint8Array(4), { src, dst });
  const ip = encodeIpv4({ src, dst, protocol: 17, ttl: 64, tos: 0xb9 }, udp);
  t.equal(
    microflow('p1', encodeEthernet({ ...macs, etherType: etherTypes.ipv4 }, ip)),
    'inport == "p1" && eth.src == 0a:00:00:00:00:01 && eth.dst == 0a:00:00:00:00:02 && ' +
      'ip4.src == 10.0.0.1 && ip4.dst == 10.0.0.2 && ip.ttl == 64 && ip.dscp == 46 && ' +
      'ip.ecn == 1 && udp.src == 4000 && udp.dst == 53',
  );
});

void t.test('the mark of its connection', async (t) => {
  const frame = encodeEthernet({ ...macs, etherType: 0x88cc }, new Uint8Array(46));
  t.match(microflow('p1', frame, 0x1a), / && ct_mark == 0x1a$/);
  t.notMatch(microflow('p1', frame, 0), /ct_mark/);
});

void t.test('what is of another type has that alone', async (t) => {
  const frame = encodeEthernet({ ...macs, etherType: 0x88cc }, new Uint8Array(46));
  t.match(microflow('p1', frame), /eth\.type == 0x88cc$/);
});
