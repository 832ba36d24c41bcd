// Goal: a packet that recirculates for ever is dropped where the datapath has a limit, and not
// followed where a kernel keeps no flows, for there it never ends. Method: two bridges between
// which a packet goes to and fro, a connection tracker in between.
import t from 'tap';
import { encodeIpv4, ipProtocols } from '../../packet/protocols/ip/ipv4.js';
import { encodeEthernet, etherTypes } from '../../packet/protocols/link/ethernet.js';
import { openModel } from './model-testbed.js';

const frame = encodeEthernet(
  { dst: '02:00:00:00:00:02', src: '02:00:00:00:00:01', etherType: etherTypes.ipv4 },
  encodeIpv4(
    { src: '10.0.0.1', dst: '10.0.0.2', protocol: ipProtocols.udp, ttl: 64 },
    new Uint8Array(8),
  ),
);

async function play(versions: Readonly<Record<string, string>>, uncached: boolean) {
  const model = openModel(
    {
      nodes: [
        {
          node: 'n1',
          hosts: [],
          ...(uncached ? { uncached } : {}),
          bridges: [
            {
              name: 'br0',
              mac: '02:00:00:00:00:fe',
              ports: [{ kind: 'endpoint', name: 'p1', ofport: 1 }],
              flows: ['table=0,ip actions=ct(table=0,zone=1)'],
            },
          ],
        },
      ],
    },
    versions,
  );
  return await model.call([{ kind: 'receive', node: 'n1', port: 'p1', frames: [frame] }]);
}

void t.test('a packet that recirculates for ever', async (t) => {
  const ovs = { 'ovs-vswitchd': '3.5.0' };
  t.strictSame((await play(ovs, false))[0]?.outputs, [], 'dropped');
  await t.rejects(play({ ...ovs, linux: '7.2.13' }, true), {
    message: /recirculates more than 8 times in a kernel that keeps no flows/,
  });
});
