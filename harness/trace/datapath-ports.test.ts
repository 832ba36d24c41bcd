/**
 * Goal: a port of the datapath is the port of the bridge that Open vSwitch takes for it. Method:
 * what dpif/show printed of a switch whose tunnels share ports, and for each packet the answer of
 * its ofproto/trace.
 */
import t from 'tap';
import { complaint } from '../base/errors/errors.js';
import { arrivalPort, readDatapathPorts, type ArrivingTunnel } from './datapath-ports.js';

const shown = `system@ovs-system: hit:0 missed:0
  br0:
    br0 65534/100: (dummy-internal)
    gn 14/6081: (geneve: key=flow, remote_ip=flow)
    gr 15/4: (gre: remote_ip=5.5.5.5)
    p1 1/1: (dummy)
    vx1 11/4789: (vxlan: key=flow, remote_ip=1.1.1.1)
    vx2 12/4789: (vxlan: key=flow, remote_ip=2.2.2.2)
    vx3 13/4789: (vxlan: key=7, local_ip=9.9.9.9, remote_ip=2.2.2.2)
    vx5 16/8472: (vxlan: dst_port=8472, key=flow, remote_ip=flow)
    vx6 17/8472: (vxlan: dst_port=8472, key=flow, local_ip=9.9.9.9, remote_ip=flow)
`;
const other = shown.replace('system@ovs-system', 'netdev@ovs-netdev').replaceAll('br0', 'br1');
const anyOf = { bridges: ['br0'], datapath: undefined };
const numbered = readDatapathPorts(shown, 'dpif', anyOf);
const known = { numbered, tunnels: [] };
const from = (source: string, id: bigint): ArrivingTunnel => ({
  source,
  destination: '9.9.9.9',
  id,
});

void t.test('ports without tunnels, by number', (t) => {
  t.match(arrivalPort('1', undefined, known), { bridge: 'br0', name: 'p1', ofport: 1 });
  t.match(arrivalPort('100', undefined, known), { bridge: 'br0', name: 'br0' });
  t.strictSame(arrivalPort('p1', undefined, { tunnels: [] }), { name: 'p1' });
  t.end();
});

void t.test('tunnels that share a port', (t) => {
  for (const [port, source, id, name] of [
    ['4789', '1.1.1.1', 5n, 'vx1'],
    ['4789', '2.2.2.2', 5n, 'vx2'],
    ['4789', '2.2.2.2', 7n, 'vx3'],
    ['vxlan_sys_4789', '1.1.1.1', 7n, 'vx1'],
    ['vxlan_sys_8472', '1.1.1.1', 7n, 'vx6'],
    ['genev_sys_6081', '1.1.1.1', 7n, 'gn'],
    ['gre_sys', '5.5.5.5', 0n, 'gr'],
  ] as const)
    t.equal(arrivalPort(port, from(source, id), known).name, name, `${port} from ${source}`);
  const tunnels = [
    { bridge: 'br0', name: 'a', ofport: 1, type: 'vxlan', options: { remote_ip: '1.1.1.1' } },
    { bridge: 'br0', name: 'b', ofport: 2, type: 'vxlan', options: { remote_ip: '2.2.2.2' } },
  ];
  t.equal(arrivalPort('vxlan_sys_4789', from('2.2.2.2', 0n), { tunnels }).name, 'b');
  t.end();
});

void t.test('where nothing decides it is refused', (t) => {
  for (const [port, tunnel, message] of [
    ['4789', from('3.3.3.3', 5n), /no tunnel at in_port\(4789\) is for packets from 3\.3\.3\.3/],
    ['gre_sys', from('5.5.5.5', 5n), /no tunnel at .* with tun_id=0x5; there are gr/],
    ['4789', undefined, /is the port of tunnels, vx1 .*: which one is meant/],
    ['99', undefined, /dpif\/show has no such port; it has 100 \(br0\)/],
    ['vxlan_sys_5000', from('1.1.1.1', 5n), /nothing says which of the bridge/],
  ] as const)
    t.match(
      complaint(() => arrivalPort(port, tunnel, known)),
      message,
    );
  t.match(
    complaint(() => arrivalPort('4789', from('1.1.1.1', 5n), { tunnels: [] })),
    /is the datapath's number of a port/,
  );
  t.end();
});

void t.test('several datapaths', (t) => {
  const both = shown + other;
  t.equal(readDatapathPorts(both, 'dpif', anyOf)[0]?.bridge, 'br0');
  t.equal(
    readDatapathPorts(both, 'dpif', { bridges: [], datapath: 'netdev@ovs-netdev' })[0]?.bridge,
    'br1',
  );
  t.match(
    complaint(() =>
      readDatapathPorts(both, 'dpif', { bridges: ['br0', 'br1'], datapath: undefined }),
    ),
    /^dpif: there are several datapaths, system@ovs-system and netdev@ovs-netdev/,
  );
  t.match(
    complaint(() => readDatapathPorts('', 'dpif', anyOf)),
    /^dpif: expected what "ovs-appctl dpif\/show" prints/,
  );
  t.end();
});
