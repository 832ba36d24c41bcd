// Goal: a flow that asks for a part of a tunnel option keeps its mask, and every other flow stays
// as it is. Method: lines as ovs-ofctl and ovs-vswitchd of 3.5 print them of the same flows.
import t from 'tap';
import { withOptionMasks } from './option-masks.js';

const shown = [
  'duration=3s, n_packets=0, n_bytes=0, priority=120,arp,tun_metadata0=0/0xffff,in_port=40002,' +
    'arp_op=2,actions=drop',
  'table_id=8, duration=3s, n_packets=1, n_bytes=9, priority=120,tun_metadata0=0x3/0xffff,' +
    'actions=drop',
  'duration=3s, n_packets=0, n_bytes=0, priority=100,in_port=40002,actions=resubmit(,43)',
].join('\n');

void t.test('masks', async (t) => {
  t.strictSame(
    withOptionMasks(
      [
        'cookie=0x1, priority=120,arp,tun_metadata0=0,in_port=40002,arp_op=2 actions=drop',
        'cookie=0x1, table=8, priority=120,tun_metadata0=0x3 actions=drop',
        'cookie=0x1, table=9, priority=120,tun_metadata0=0x3 actions=drop',
        'priority=100,in_port=40002 actions=resubmit(,43)',
      ],
      shown,
    ),
    [
      'cookie=0x1, priority=120,arp,tun_metadata0=0/0xffff,in_port=40002,arp_op=2 actions=drop',
      'cookie=0x1, table=8, priority=120,tun_metadata0=0x3/0xffff actions=drop',
      'cookie=0x1, table=9, priority=120,tun_metadata0=0x3 actions=drop',
      'priority=100,in_port=40002 actions=resubmit(,43)',
    ],
  );
});
