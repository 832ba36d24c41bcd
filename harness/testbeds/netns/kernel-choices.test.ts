// Goal: what a kernel chooses in a tunnel's outer headers is put to what the model has, and nothing
// else of a frame is touched. Method: a frame of Geneve from a kernel, with a checksum of UDP,
// without, and with one that has only begun; frames that are none of a tunnel's.
import t from 'tap';
import { encodeEthernet, etherTypes } from '../../packet/protocols/link/ethernet.js';
import { encodeIpv4 } from '../../packet/protocols/ip/ipv4.js';
import { encodeUdp } from '../../packet/protocols/transport/udp.js';
import type { NodePlan } from '../../domain/plan/cluster-plan.js';
import { isProbe, withoutKernelChoices } from './kernel-choices.js';

const plan = {
  node: 'a',
  hosts: [],
  bridges: [
    {
      name: 'br',
      mac: '02:00:00:00:00:01',
      underlay: { ip: '172.30.0.1', prefixLength: 16, neighbours: [] },
      ports: [],
      flows: [],
    },
  ],
} as unknown as NodePlan;

function frame(src: string, srcPort: number, id: number, dstPort: number, sum: boolean) {
  const addresses = { src, dst: '172.30.0.2' };
  return encodeEthernet(
    { src: '02:00:00:00:00:01', dst: '02:00:00:00:00:02', etherType: etherTypes.ipv4 },
    encodeIpv4(
      { ...addresses, protocol: 17, ttl: 64, tos: 0, flags: 2, identification: id },
      encodeUdp(
        { srcPort, dstPort },
        Uint8Array.from([1, 2, 3, 4]),
        sum ? addresses : 'no-checksum',
      ),
    ),
  );
}

const asModelled = withoutKernelChoices(plan);

void t.test('a tunnel out of the node', async (t) => {
  for (const sum of [true, false])
    t.same(
      asModelled(frame('172.30.0.1', 33_367, 13_812, 6081, sum)),
      frame('172.30.0.1', 32_768, 0, 6081, sum),
    );
});

void t.test('a checksum that is left to a device', async (t) => {
  const left = Buffer.from(frame('172.30.0.1', 19_704, 13_812, 6081, true));
  // Of 172.30.0.1, 172.30.0.2, protocol 17 and 12 bytes.
  left.writeUInt16BE(0x585d, 40);
  t.same(asModelled(left), frame('172.30.0.1', 32_768, 0, 6081, true));
});

void t.test('what is none', async (t) => {
  for (const other of [
    frame('172.30.0.1', 33_367, 13_812, 53, true),
    frame('172.30.0.9', 33_367, 13_812, 6081, true),
    Uint8Array.from([1, 2, 3]),
  ])
    t.equal(asModelled(other), other);
});

void t.test('what ovs-vswitchd asks a datapath by', async (t) => {
  const probe = new Uint8Array(14);
  probe.set([0x12, 0x34], 12);
  t.ok(isProbe(probe));
  t.notOk(isProbe(probe.with(13, 0x35)), 'another type');
  t.notOk(isProbe(probe.with(3, 1)), 'to somebody');
});
