// Goal: the model says how long a full packet is on the link. Method: each tunnel, against its
// headers as their RFCs have them.
import t from 'tap';
import { frameBytesOf, payloadOf } from './predict-frame.js';
import { throughput } from './scenarios.js';

const headers = { geneve: 20 + 8 + 8 + 14, vxlan: 20 + 8 + 8 + 14, gre: 20 + 8 + 14, none: 0 };

void t.test('frames on the link', async (t) => {
  for (const protocol of ['tcp', 'udp'])
    for (const [tunnel, bytes] of Object.entries(headers)) {
      const point = throughput.pointOf({
        protocol,
        tunnel,
        mtu: 'usual',
      });
      t.equal(await frameBytesOf(point), 14 + point.podMtu + bytes, `${protocol} ${tunnel}`);
      t.equal(payloadOf(point), point.podMtu - (protocol === 'tcp' ? 52 : 28));
    }
});
