/**
 * Goal: a switch has the patch ports, VLANs, mirrors and multicast snooping that its plan has.
 * Method: two bridges of a real switch that learn; a broadcast with a tag comes out where its VLAN
 * is, with a tag or without, and a copy where the mirror sends it; the database says the rest.
 */
import { join } from 'node:path';
import t from 'tap';
import { openImage } from '../../../../images/images.js';
import type { NodePlan } from '../../../domain/plan/cluster-plan.js';
import { runProgram } from '../../../ovs/process/run-program.js';
import { encodeEthernet } from '../../../packet/protocols/link/ethernet.js';
import { encodeVlan } from '../../../packet/protocols/link/vlan.js';
import { openSim } from '../sim.js';

const plan: NodePlan = {
  node: 'n1',
  hosts: [],
  bridges: [
    {
      name: 'br0',
      mac: '02:00:00:00:00:01',
      flows: ['priority=0 actions=NORMAL'],
      failMode: 'standalone',
      multicastSnooping: {},
      ports: [
        { kind: 'endpoint', name: 'in', ofport: 1 },
        { kind: 'endpoint', name: 'access5', ofport: 2, vlan: { tag: 5, trunks: [] } },
        {
          kind: 'endpoint',
          name: 'access6',
          ofport: 3,
          vlan: { tag: 6, trunks: [], mode: 'access' },
        },
        { kind: 'endpoint', name: 'trunk6', ofport: 4, vlan: { trunks: [6], mode: 'trunk' } },
        { kind: 'endpoint', name: 'watch', ofport: 5 },
        { kind: 'patch', name: 'up', ofport: 6, peer: { bridge: 'br1', port: 'down' } },
      ],
      mirrors: [
        {
          name: 'span',
          select: { sources: ['in'], destinations: [] },
          vlans: [5],
          output: { kind: 'port', port: 'watch' },
          snapLength: 20,
        },
      ],
    },
    {
      name: 'br1',
      mac: '02:00:00:00:00:02',
      flows: ['priority=0 actions=NORMAL'],
      ports: [
        { kind: 'endpoint', name: 'out', ofport: 1 },
        { kind: 'patch', name: 'down', ofport: 2, peer: { bridge: 'br0', port: 'up' } },
      ],
      mirrors: [{ name: 'all', select: 'all', vlans: [], output: { kind: 'vlan', vlan: 9 } }],
    },
  ],
};

void t.test('as planned', async (t) => {
  const image = await openImage('trixie', (line) => t.comment(line));
  const sim = await openSim({ nodes: [plan] }, image);
  t.teardown(() => sim.close());
  const addresses = { src: '0a:00:00:00:00:01', dst: 'ff:ff:ff:ff:ff:ff' };
  const payload = new Uint8Array(46);
  const tagged = encodeEthernet(
    { ...addresses, etherType: 0x8100 },
    encodeVlan({ vid: 5, pcp: 0, dei: 0, etherType: 0x88b5 }, payload),
  );
  const plain = encodeEthernet({ ...addresses, etherType: 0x88b5 }, payload);
  const [step] = await sim.call([{ kind: 'receive', node: 'n1', port: 'in', frames: [tagged] }]);
  const came = new Map(
    step?.outputs.map(({ port, frame }) => [port, Buffer.from(frame).toString('hex')]),
  );
  t.equal(came.get('access5'), Buffer.from(plain).toString('hex'), 'without its tag');
  t.equal(
    came.get('watch'),
    Buffer.from(tagged.subarray(0, 20)).toString('hex'),
    'the first bytes of a copy',
  );
  // In which order a copy in VLAN 9 comes beside it, is the switch's own.
  t.ok(
    step?.outputs.some(({ port, frame }) => port === 'out' && Buffer.compare(frame, tagged) === 0),
    'through the patch ports',
  );
  t.strictSame([came.has('access6'), came.has('trunk6')], [false, false], 'other VLANs');
  const { stdout } = await runProgram(image, 'ovs-vsctl', [
    `--db=unix:${join(sim.dir, 'n1/db.sock')}`,
    'get',
    'Bridge',
    'br0',
    'fail_mode',
    'mcast_snooping_enable',
  ]);
  t.equal(stdout, 'standalone\ntrue\n');
});
