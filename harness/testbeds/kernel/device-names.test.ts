/**
 * Goal: a port of any name is at a device, under a rule that can be read, and two never share one.
 * Method: names as they come, random ones too; a plan that names a port in every place.
 */
import fc from 'fast-check';
import t from 'tap';
import type { ClusterPlan } from '../../domain/plan/cluster-plan.js';
import { deviceNameOf, deviceNames, isDeviceName, renamedPlan } from './device-names.js';

void t.test('names that Linux takes stay', (t) => {
  for (const name of ['eth0', 'p'.repeat(15), 'if-vm1']) t.equal(deviceNameOf(name), name);
  t.equal(deviceNameOf('if-virt-launcher-vm1-a'), 'if-virt--0d5ba2');
  t.equal(deviceNameOf('pod/eth0'), 'pod.eth0-769b7f');
  t.end();
});

void t.test('all others get a name that it takes, and have their own back', (t) => {
  fc.assert(
    fc.property(fc.stringMatching(/^[\w./:é-]{1,40}$/), (port) => {
      const { to, from } = deviceNames();
      const device = to(port);
      return isDeviceName(device) && from(device) === port;
    }),
  );
  t.end();
});

void t.test('two ports that would share a device are refused', (t) => {
  const { to } = deviceNames();
  to('if-virt-launcher-vm1-a');
  t.throws(() => to('if-virt--0d5ba2'), {
    name: 'InputError',
    message: /"if-virt-launcher-vm1-a" and "if-virt--0d5ba2" would both be device/,
  });
  t.end();
});

void t.test('a plan is renamed wherever it names a port', (t) => {
  const [long, other] = ['a-port-of-a-long-name', 'another-one-of-those'];
  const plan: ClusterPlan = {
    nodes: [
      {
        node: 'n1',
        hosts: [
          {
            name: 'p1',
            kind: 'pod',
            interfaces: [{ name: 'eth0', port: long, mac: '', ip: '', prefixLength: 24 }],
            routes: [],
          },
        ],
        bridges: [
          {
            name: 'br',
            mac: '02:00:00:00:00:01',
            ports: [
              { kind: 'endpoint', name: long, ofport: 1 },
              { kind: 'patch', name: other, ofport: 2, peer: { bridge: 'br2', port: long } },
            ],
            flows: [`in_port="${other}" actions=output:${long}`],
            bonds: [
              {
                name: 'b',
                mode: 'balance-slb',
                members: [long],
                active: long,
                hashes: { 1: long },
              },
            ],
            staticMacs: [{ port: long, vlan: 0, mac: '02:00:00:00:00:02' }],
            mirrors: [
              {
                name: 'm',
                select: { sources: [long], destinations: [other] },
                vlans: [],
                output: { kind: 'port', port: other },
              },
            ],
            multicastSnooping: { flood: [long], floodReports: [other] },
          },
        ],
      },
    ],
    northbound: {
      zones: [
        {
          name: 'z',
          rows: [],
          chassis: [
            {
              node: 'n1',
              bridge: 'br',
              encapIp: '',
              bindings: [{ port: long, logicalPort: 'l' }],
            },
          ],
        },
      ],
    },
  };
  const { to, from } = deviceNames();
  const renamed = renamedPlan(plan, to);
  t.notMatch(JSON.stringify(renamed), /a-port-of|another-one/);
  const [node] = plan.nodes;
  const inNumbers = {
    ...node,
    bridges: [
      { ...node?.bridges[0], flows: ['table=0, priority=32768,in_port=2 actions=output:1'] },
    ],
  };
  t.strictSame(renamedPlan(renamed, from), { ...plan, nodes: [inNumbers] });
  t.end();
});
