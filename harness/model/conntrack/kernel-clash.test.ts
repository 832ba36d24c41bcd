// Goal: Linux begins no connection whose answers would be what begins another. Method: two packets
// that look like each other's answers, of which the first is translated, in both datapaths.
import t from 'tap';
import { encodeEthernet, etherTypes } from '../../packet/protocols/link/ethernet.js';
import { encodeIpv4, ipProtocols } from '../../packet/protocols/ip/ipv4.js';
import { encodeUdp } from '../../packet/protocols/transport/udp.js';
import { buildNode } from '../build-node.js';
import { stateOf } from '../state-of-node.js';
import { receiveFrame } from '../receive-frame.js';

const [client, server] = ['10.0.0.1', '10.0.0.2'];

void t.test('a connection whose answers are another one to Linux', async (t) => {
  const udp = (src: string, srcPort: number, dst: string, dstPort: number) =>
    encodeEthernet(
      { dst: '02:00:00:00:00:02', src: '02:00:00:00:00:01', etherType: etherTypes.ipv4 },
      encodeIpv4(
        { src, dst, ttl: 64, protocol: ipProtocols.udp },
        encodeUdp({ srcPort, dstPort }, new Uint8Array(1), { src, dst }),
      ),
    );
  const begun = (place: 'in ovs-vswitchd' | 'in the kernel', second: string) => {
    const ports = [1, 2, 3].map((ofport) => ({
      kind: 'endpoint' as const,
      name: `p${ofport}`,
      ofport,
    }));
    const flows = [
      'ip,in_port=1,actions=ct(commit,nat(src=10.0.0.9)),output:3',
      `ip,in_port=2,actions=${second},output:3`,
    ];
    const bridge = { name: 'br', mac: '02:00:00:00:00:fe', ports, flows };
    const node = buildNode({ node: 'n', hosts: [], bridges: [bridge] }, [3, 5, place]);
    receiveFrame(node, 'p1', udp(client, 4001, server, 53));
    const { outputs } = receiveFrame(node, 'p2', udp(server, 53, client, 4001)).step;
    return `${outputs.length} out, ${stateOf(node).connections.length} connections`;
  };
  t.equal(begun('in ovs-vswitchd', 'ct(commit)'), '1 out, 2 connections');
  t.equal(begun('in the kernel', 'ct(commit)'), '0 out, 1 connections');
  t.equal(begun('in the kernel', 'ct()'), '1 out, 1 connections', 'where none is begun');
});
