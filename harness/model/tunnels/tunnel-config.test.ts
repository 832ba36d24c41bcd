/**
 * Goal: what a tunnel's port is asked for is read as the database has it, and what is not known is
 * refused by name. Method: options and what is made of them; nodes whose ports or routes nobody can
 * distinguish, and one that has an unknown tunnel beside other ports.
 */
import t from 'tap';
import type { BridgePlan, UnderlayPlan } from '../../domain/plan/bridge-plan.js';
import type { TunnelOptions, TunnelType } from '../../domain/plan/port-plan.js';
import { buildNode } from '../build-node.js';
import { receiveFrame } from '../receive-frame.js';
import { readConfig } from './tunnel-config.js';

const config = (options: Partial<TunnelOptions> = {}, tunnel: TunnelType = 'geneve') =>
  readConfig({
    kind: 'tunnel',
    name: 'tun0',
    ofport: 1,
    tunnel,
    options: { remote_ip: 'flow', ...options },
  });

void t.test('options', (t) => {
  t.strictSame(config(), {
    type: 'geneve',
    remote: 'flow',
    local: 'any',
    inKey: 0n,
    outKey: 'none',
    udpPort: 6081,
    tos: 0,
    ttl: 64,
    fragments: 'forbidden',
    checksum: 'as usual',
    extension: 'none',
    carries: 'frames',
  });
  t.match(config({ remote_ip: '10.0.0.1', local_ip: '10.0.0.2', key: '0x10' }), {
    remote: 0xffff0a000001n,
    local: 0xffff0a000002n,
    inKey: 16n,
    outKey: 16n,
  });
  t.match(
    config({ remote_ip: 'fd00::1', key: '5', in_key: 'flow', out_key: '18446744073709551' }),
    { remote: (0xfd00n << 112n) | 1n, inKey: 'flow', outKey: 18446744073709551n },
  );
  t.match(config({ local_ip: 'flow', key: 'flow' }), {
    local: 'flow',
    inKey: 'flow',
    outKey: 'flow',
  });
  t.match(
    config({
      tos: '0xfc',
      ttl: '255',
      df_default: 'false',
      csum: 'true',
      egress_pkt_mark: '4294967295',
    }),
    { tos: 0xfc, ttl: 255, fragments: 'allowed', checksum: 'on', mark: 0xffffffff },
  );
  t.match(
    config({
      tos: 'inherit',
      ttl: 'inherit',
      df_default: 'true',
      csum: 'false',
      seq: 'false',
      packet_type: 'legacy_l2',
    }),
    { tos: 'inherit', ttl: 'inherit', fragments: 'forbidden', checksum: 'off' },
  );
  t.match(config({ ttl: '0' }), { ttl: 64 });
  t.match(config({ packet_type: 'legacy_l3' }, 'gre'), { carries: 'packets' });
  t.match(config({ exts: 'gpe', dst_port: '8472' }, 'vxlan'), { extension: 'gpe', udpPort: 8472 });
  t.match([config({}, 'vxlan'), config({}, 'gre')], [{ udpPort: 4789 }, { udpPort: 0 }]);
  t.end();
});

void t.test('what is not known', (t) => {
  const refused: readonly (readonly [
    Partial<TunnelOptions> & Record<string, string>,
    string,
    TunnelType?,
  ])[] = [
    [{ ipsec: 'yes' }, 'the option ipsec'],
    [{ exts: 'gbp' }, 'the option exts'],
    [{ dst_port: '5' }, 'the option dst_port', 'gre'],
    [{}, 'the type stt', 'stt'],
    [{ key: '05' }, 'key=05'],
    [{ out_key: '-1' }, 'out_key=-1'],
    [{ tos: '1' }, 'tos=1'],
    [{ tos: '0x100' }, 'tos=0x100'],
    [{ ttl: '256' }, 'ttl=256'],
    [{ dst_port: '65536' }, 'dst_port=65536'],
    [{ csum: 'yes' }, 'csum=yes'],
    [{ df_default: '' }, 'df_default='],
    [{ seq: 'true' }, 'sequence numbers (seq)', 'gre'],
    [{ packet_type: 'ptap' }, 'packet_type=ptap'],
    [{ packet_type: 'legacy_l3' }, 'packet_type=legacy_l3'],
    [{ exts: 'gbp,gpe' }, 'exts=gbp,gpe', 'vxlan'],
    [{ exts: 'toString' }, 'exts=toString', 'vxlan'],
    [{ remote_ip: 'n2' }, 'remote_ip=n2'],
    [{ remote_ip: '224.0.0.1' }, 'remote_ip=224.0.0.1'],
    [{ remote_ip: 'ff02::1' }, 'remote_ip=ff02::1'],
    [{ remote_ip: '::' }, 'remote_ip=::'],
    [{ remote_ip: '10.0.0.1', local_ip: 'flow' }, 'local_ip=flow without remote_ip=flow'],
    [
      { remote_ip: '10.0.0.1', local_ip: 'fd00::1' },
      'a remote_ip and local_ip of different families',
    ],
  ];
  for (const [options, what, type] of refused)
    t.throws(
      () => config(options, type),
      { name: 'Unsupported', message: `the model does not know ${what} of tunnel port tun0` },
      what,
    );
  t.end();
});

void t.test('ports and routes that nobody can distinguish', (t) => {
  const build = (
    ports: readonly (readonly [TunnelType, TunnelOptions])[],
    underlay: Partial<UnderlayPlan> = {},
  ) => {
    const bridge: BridgePlan = {
      name: 'br0',
      mac: '02:00:00:00:00:fe',
      flows: [],
      underlay: { ip: '172.30.0.1', prefixLength: 24, neighbours: [], ...underlay },
      ports: ports.map(([tunnel, options], index) => ({
        kind: 'tunnel',
        name: `tun${index}`,
        ofport: index + 1,
        tunnel,
        options,
      })),
    };
    return () => buildNode({ node: 'n1', hosts: [], bridges: [bridge] }).tunnels();
  };
  const any: TunnelOptions = { remote_ip: 'flow', key: 'flow' };
  t.throws(
    build([
      ['geneve', any],
      ['gre', any],
      ['geneve', { ...any, ttl: '9' }],
    ]),
    {
      message:
        'the model does not know tunnel ports tun0 and tun2 beside each other: the same ' +
        'packets are for both',
    },
  );
  t.throws(
    build([
      ['geneve', any],
      ['vxlan', { ...any, dst_port: '6081' }],
    ]),
    { message: /of different types, and have the same UDP port/ },
  );
  t.throws(
    build([
      ['vxlan', any],
      ['vxlan', { ...any, key: '5', exts: 'gbp' }],
    ]),
    { message: /only one has exts=gbp/ },
  );
  t.doesNotThrow(
    build([
      ['vxlan', any],
      ['vxlan', { ...any, dst_port: '4790', exts: 'gbp' }],
      ['geneve', any],
      ['geneve', { ...any, key: '5' }],
      ['geneve', { ...any, dst_port: '6082' }],
    ]),
  );
  t.throws(build([], { routes: [{ destination: '10.0.0.0/8', gateway: '172.31.0.1' }] }), {
    message:
      'Open vSwitch does not take the route to 10.0.0.0/8: bridge br0 has no address towards it',
  });
  t.throws(build([], { routes: [{ destination: '172.30.0.128/25', gateway: '172.30.0.2' }] }), {
    message: /which is in a network of bridge br0 itself/,
  });
  t.throws(
    build([], {
      ipv6: { ip: 'fd00::1', prefixLength: 64 },
      routes: [{ destination: '::/0', gateway: 'fd00::2' }],
    }),
    { message: /the route to ::\/0/ },
  );
  t.doesNotThrow(
    build([], {
      routes: [
        { destination: '0.0.0.0/0', gateway: '172.30.0.2' },
        { destination: '172.30.0.0/24', mark: 5 },
      ],
    }),
  );
  t.end();
});

void t.test('a tunnel that is not known costs the packets that could go through it', (t) => {
  const bridge: BridgePlan = {
    name: 'br0',
    mac: '02:00:00:00:00:fe',
    flows: ['in_port=1 actions=output:2', 'in_port=2 actions=output:3'],
    ports: [
      { kind: 'endpoint', name: 'p1', ofport: 1 },
      { kind: 'endpoint', name: 'p2', ofport: 2 },
      {
        kind: 'tunnel',
        name: 'tun0',
        ofport: 3,
        tunnel: 'stt',
        options: { remote_ip: 'flow', key: 'flow' },
      },
    ],
  };
  const node = buildNode({ node: 'n1', hosts: [], bridges: [bridge] });
  t.strictSame(
    receiveFrame(node, 'p1', new Uint8Array(60)).step.outputs.map(({ port }) => port),
    ['p2'],
  );
  t.throws(() => receiveFrame(node, 'p2', new Uint8Array(60)), {
    name: 'Unsupported',
    message: 'the model does not know the type stt of tunnel port tun0',
  });
  t.end();
});
