// Goal: a switch that restarts has forgotten its connections, and the kernel has not, unless its
// node restarts whole. Method: a connection that a flow commits, and a restart, as each datapath
// has it.
import t from 'tap';
import { encodeIpv4, ipProtocols } from '../../packet/protocols/ip/ipv4.js';
import { encodeEthernet, etherTypes } from '../../packet/protocols/link/ethernet.js';
import { encodeUdp } from '../../packet/protocols/transport/udp.js';
import type { Reconfiguration } from '../../domain/switching.js';
import { openModel } from './model-testbed.js';

const addresses = { src: '10.0.0.1', dst: '10.0.0.2' };
const packet = encodeIpv4(
  {
    ...addresses,
    protocol: ipProtocols.udp,
    ttl: 64,
    tos: 0,
    identification: 0,
    flags: 0,
    fragmentOffset: 0,
    options: new Uint8Array(0),
  },
  encodeUdp({ srcPort: 4000, dstPort: 7 }, new Uint8Array(20), addresses),
);
const frame = encodeEthernet(
  { dst: '02:00:00:00:00:02', src: '02:00:00:00:00:01', etherType: etherTypes.ipv4 },
  packet,
);

async function keptOverRestart(
  versions: Readonly<Record<string, string>>,
  whole: Pick<Extract<Reconfiguration, { readonly kind: 'restart' }>, 'whole'> = {},
) {
  const model = openModel(
    {
      nodes: [
        {
          node: 'n1',
          bridges: [
            {
              name: 'br0',
              mac: '02:00:00:00:00:fe',
              ports: [1, 2].map((ofport) => ({ kind: 'endpoint', name: `p${ofport}`, ofport })),
              flows: ['table=0,ip,actions=ct(commit,zone=1),output:2'],
            },
          ],
          hosts: [],
        },
      ],
    },
    versions,
  );
  await model.call([{ kind: 'receive', node: 'n1', port: 'p1', frames: [frame] }]);
  const before = (await model.state()).connections.length;
  await model.reconfigure({ kind: 'restart', node: 'n1', ...whole });
  const after = await model.state();
  return { before, after: after.connections.length, macs: after.macs.length };
}

void t.test('a restart', async (t) => {
  const ofSwitch = { 'ovs-vswitchd': '3.5.0' };
  t.same(await keptOverRestart(ofSwitch), { before: 1, after: 0, macs: 0 });
  const ofKernel = { ...ofSwitch, linux: '6.1.0' };
  t.same(await keptOverRestart(ofKernel), { before: 1, after: 1, macs: 0 });
  const whole = await keptOverRestart(ofKernel, { whole: true });
  t.same(whole, { before: 1, after: 0, macs: 0 }, 'with its network');
});
