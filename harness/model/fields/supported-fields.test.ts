// Goal: what the model does not know of a packet is never taken for zero. Method: flows on fields
// that nothing fills, or that expire, beside a flow that any packet matches: a packet that they
// might be for is refused by their name, any other is not.
import t from 'tap';
import { encodeEthernet, etherTypes } from '../../packet/protocols/link/ethernet.js';
import type { Version } from '../behaviour.js';
import { buildNode } from '../build-node.js';
import { receiveFrame } from '../receive-frame.js';

const bridge = (flow: string) => ({
  name: 'br0',
  mac: '02:00:00:00:00:fe',
  flows: [flow, 'priority=0 actions=2'],
  ports: [1, 2].map((ofport) => ({ kind: 'endpoint' as const, name: `p${ofport}`, ofport })),
});
const frame = (etherType: number) =>
  encodeEthernet(
    { src: '0a:00:00:00:00:01', dst: '0a:00:00:00:00:02', etherType },
    new Uint8Array(60),
  );
const portsOf = (flow: string, etherType: number): string =>
  receiveFrame(
    buildNode({ node: 'n1', bridges: [bridge(flow)], hosts: [] }),
    'p1',
    frame(etherType),
  )
    .step.outputs.map(({ port }) => port)
    .join(' ');

void t.test('flows that might match are refused, others are not', async (t) => {
  const unknown: readonly (readonly [flow: string, name: string, etherType: number])[] = [
    ['tun_metadata0=0 actions=1', 'tun_metadata0', 0x88cc],
  ];
  for (const [flow, name, etherType] of unknown) {
    t.throws(
      () => portsOf(flow, etherType),
      {
        name: 'Unsupported',
        message: new RegExp(
          `does not know ${name} of table=0, .* actions=output:1, at a frame into p1 of n1`,
        ),
      },
      flow,
    );
    t.equal(portsOf(`priority=9,in_port=2,${flow}`, etherType), 'p2', 'it is for another port');
  }
  t.equal(portsOf('ipv6,ipv6_src=::1 actions=1', etherTypes.arp), 'p2', 'it is for another type');
  for (const flow of [
    'conj_id=7 actions=1',
    'actset_output=1 actions=1',
    'importance=5,send_flow_rem,reg31=0,dl_vlan=5 actions=1',
    'packet_type=(1,0x88cc) actions=1',
    'ipv6,ipv6_src=::1 actions=1',
  ])
    t.equal(portsOf(flow, 0x88cc), 'p2', 'it is known not to match');
});

void t.test('frames of which Open vSwitch loses count are refused', (t) => {
  for (const length of [3, 4, 8])
    t.throws(
      () =>
        receiveFrame(
          buildNode({ node: 'n1', bridges: [bridge('priority=1,actions=1')], hosts: [] }),
          'p1',
          encodeEthernet(
            { src: '0a:00:00:00:00:01', dst: '0a:00:00:00:00:02', etherType: etherTypes.mpls },
            new Uint8Array(length),
          ),
        ),
      { name: 'Unsupported', message: /with entries of zeros/ },
    );
  t.end();
});

void t.test('more than an action of the datapath can hold', (t) => {
  const sent = (actions: string): number =>
    receiveFrame(
      buildNode({ node: 'n1', bridges: [bridge(`priority=1,actions=${actions}`)], hosts: [] }),
      'p1',
      frame(0x88cc),
    ).step.outputs.length;
  const often = (action: string, times: number): string =>
    Array.from({ length: times }, () => action).join();
  const ends = { message: /more than 64 kB: Open vSwitch ends itself/ };
  t.equal(
    sent(`check_pkt_larger(48)->reg0[0],${often('output:2', 2000)}`),
    2000,
    'outputs are small',
  );
  t.throws(() => sent(`check_pkt_larger(48)->reg0[0],${often('controller(id=7)', 110)}`), ends);
  t.throws(
    () =>
      sent(
        `check_pkt_larger(48)->reg0[0],${often('push_vlan:0x8100,output:2,pop_vlan,output:2', 70)}`,
      ),
    ends,
    'changes are larger',
  );
  t.equal(
    sent(`${often('push_vlan:0x8100,output:2,pop_vlan,output:2', 70)},clone(output:2)`),
    141,
    'what is outside does not count',
  );
  t.end();
});

// Three entries, none of them the last one.
const bottomless = encodeEthernet(
  { src: '0a:00:00:00:00:01', dst: '0a:00:00:00:00:02', etherType: etherTypes.mpls },
  Uint8Array.of(0, 0, 0, 0x40, 0, 0, 0, 1, 0, 0, 0, 0xff),
);

void t.test('a label that cannot come off', (t) => {
  const buckets = ['group_id=1,type=indirect,bucket=resubmit(,1)'];
  const popping = 'table=1,mpls actions=pop_mpls:0x0800';
  const refusalOf = (actions: string, version?: Version): string => {
    const node = buildNode(
      {
        node: 'n1',
        bridges: [{ ...bridge(popping), flows: [`actions=${actions}`, popping], groups: buckets }],
        hosts: [],
      },
      version,
    );
    return receiveFrame(node, 'p1', bottomless)
      .step.outputs.map(({ port }) => port)
      .join(' ');
  };
  t.equal(refusalOf('output:2,resubmit(,1)'), '', 'everything is lost');
  t.equal(refusalOf('group:1,output:2'), 'p2', 'what is behind its bucket is not');
  t.equal(
    refusalOf('clone(group:1),output:2', [3, 5]),
    'p2',
    'nor what is behind a clone that is none for the datapath',
  );
  const lost = /does not know the packet behind a bucket or a patch port/;
  t.throws(
    () => refusalOf('output:2,group:1,output:2'),
    { message: lost },
    'something was sent before',
  );
  t.throws(
    () => refusalOf('push_vlan:0x8100,clone(output:2,group:1),output:2', [3, 5]),
    { message: lost },
    'in a clone, too',
  );
  t.throws(() => refusalOf('meter:1,group:1,output:2'), { message: lost }, 'or metered');
  const ends =
    /does not know what follows a pop_mpls that fails .*, in a clone or behind check_pkt_larger/;
  t.throws(() => refusalOf('clone(group:1),output:2'), { message: ends }, 'a clone since 4.0');
  t.throws(
    () => refusalOf('clone(output(port=2,max_len=20),group:1),output:2', [3, 5]),
    { message: ends },
    'a clone that the datapath is asked for',
  );
  t.throws(
    () => refusalOf('check_pkt_larger(48)->reg4[29],resubmit(,1)'),
    { message: ends },
    'two ways',
  );
  t.throws(
    () => refusalOf('clone(output(port=2,max_len=20),output:2),group:1,output:2', [3, 5]),
    { message: lost },
    'a clone was before',
  );
  t.end();
});
