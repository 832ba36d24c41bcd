/**
 * Goal: check holds the model to a real switch with the flows of a dump, in frames, counters and what is remembered, and says where they
 * part. Method: one switch as it is, and with a fault on its wire.
 */
import t from 'tap';
import { openImage } from '../../images/images.js';
import { encodeEthernet, etherTypes } from '../packet/ethernet.js';
import { encodeIpv4, ipProtocols } from '../packet/ipv4.js';
import { encodeUdp } from '../packet/udp.js';
import { openSim, type SimOptions } from '../testbeds/sim/sim.js';
import { checkPacket, type CheckResult } from './check.js';
import { switchOf } from './switch.js';

const image = await openImage('trixie', (line) => t.comment(line));
const flows = `OFPST_FLOW reply (OF1.5) (xid=0x2):
 cookie=0x0, duration=3.1s, table=0, n_packets=5, n_bytes=70, idle_age=2, ip,in_port=1 actions=ct(commit,table=9,zone=7)
 cookie=0x0, duration=3.1s, table=9, n_packets=5, n_bytes=70, idle_age=2, ct_state=+new+trk,ip actions=dec_ttl,output:2
`;
const plan = switchOf({ bridge: 'br0', flows: { text: flows, file: 'flows' } });
const addresses = { src: '10.0.0.1', dst: '10.0.0.2' };
const udp = encodeUdp({ srcPort: 4000, dstPort: 7 }, new Uint8Array(8), addresses);
const frame = encodeEthernet({ src: '0a:00:00:00:00:01', dst: '0a:00:00:00:00:02', etherType: etherTypes.ipv4 }, encodeIpv4({ ...addresses, protocol: ipProtocols.udp, ttl: 64 }, udp));

async function check(options: SimOptions): Promise<CheckResult> {
  const sim = await openSim({ nodes: [plan] }, image, options);
  try {
    return await checkPacket(plan, sim, '1', frame);
  } finally {
    await sim.close();
  }
}

void t.test('model and switch agree, and all was compared', async (t) => {
  t.strictSame(await check({}), { compared: { frames: 1, silent: 2, counters: 2, entries: 3 }, frames: [], counters: [], state: [] });
});

void t.test('a fault on the wire is told', async (t) => {
  t.match(await check({ wire: () => ({ outputs: [] }) }), { frames: [{ kind: 'missing', port: '2' }], counters: [], state: [] });
  t.match(await check({ wire: ({ outputs }) => ({ outputs: outputs.map((output) => ({ ...output, frame: output.frame.with(22, 64) })) }) }), { frames: [{ kind: 'different', fields: ['ip.ttl', 'ip.checksum'] }] });
});
