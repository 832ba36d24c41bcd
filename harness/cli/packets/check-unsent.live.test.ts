// Goal: packets that no wire carries are held to the switch's own ofproto/trace, and nothing is
// said to agree where it has not answered. Method: the compiled program on a bridge of two tunnels.
import t from 'tap';
import { checkReport } from '../../trace/check-report.js';
import { withoutPacket } from '../../trace/compare-words.js';
import { flowbedIn } from '../flowbed-process.js';

const folder = t.testdir({
  'br-tun': {
    flows: `priority=9,in_port=1,tun_id=0x5 actions=output:3
priority=1,in_port=2 actions=drop
priority=8,reg0=0x5 actions=output:1
`,
    ports:
      ' 1(vxlan-a): addr:1a:00:00:00:00:01\n 2(vxlan-b): addr:1a:00:00:00:00:02\n' +
      ' 3(p3): addr:1a:00:00:00:00:03\n',
  },
  dpif: `system@ovs-system: hit:0 missed:0
  br-tun:
    vxlan-a 1/4: (vxlan: key=flow, remote_ip=1.1.1.1)
    vxlan-b 2/4: (vxlan: key=flow, remote_ip=2.2.2.2)
    p3 3/5: (system)
`,
});
const inner =
  'eth(src=0a:00:00:00:00:01,dst=0a:00:00:00:00:02),eth_type(0x0800),' +
  'ipv4(src=10.0.0.1,dst=10.0.0.2,proto=1,tos=0,ttl=64,frag=no),icmp(type=8,code=0)';

async function checked(flow: string) {
  const words = ['check', '--bridge', 'br-tun=br-tun', '--dpif', 'dpif', '--json', flow];
  const { code, stdout, stderr } = await flowbedIn(folder, words);
  return stdout === ''
    ? { code, stderr }
    : { code, stderr, image: checkReport.parse(JSON.parse(stdout)).images[0] };
}

void t.test('what is not sent is asked by words', async (t) => {
  for (const flow of [
    `tunnel(tun_id=0x5,src=1.1.1.1,dst=9.9.9.9,ttl=64,flags(key)),in_port(4),${inner}`,
    `tunnel(tun_id=0x5,src=2.2.2.2,dst=9.9.9.9,ttl=64,flags(key)),in_port(4),${inner}`,
    'in_port=1,tun_id=5,tun_src=1.1.1.1,tun_dst=9.9.9.9,ip',
    'in_port=1,tun_id=5,ip,nw_ttl=64',
    'in_port=3,ip,reg0=5,nw_ttl=64',
    'ip,reg0=5,nw_ttl=64',
    'in_port=3,ip,metadata=7,ct_state=trk|est,ct_mark=1,pkt_mark=9,nw_ttl=64',
  ]) {
    const { code, stderr, image } = await checked(flow);
    t.equal(code, 0, `${flow}: ${stderr}`);
    t.match(image, {
      verdict: 'conforms',
      compared: { frames: 0 },
      words: { compared: 3, left: /^the packet is not sent: a real port cannot be given / },
    });
  }
});

void t.test('what the switch does not answer is not known', (t) => {
  const read = { compared: 0, differences: [], left: 'the words of FLOW are not compared: no' };
  t.throws(() => withoutPacket(read, 'a real port cannot be given packets with reg0=0x5'), {
    name: 'Unavailable',
    message: /with reg0=0x5, and the words of FLOW are not compared: no$/,
  });
  t.end();
});
