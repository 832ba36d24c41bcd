// Goal: a packet's way is printed logical datapath by logical datapath. Method: sources of flows as
// OVN's cookies name them, in the order of a ping between two switches.
import t from 'tap';
import { nextPlace, type LogicalPlace } from './logical-place.js';

void t.test('a title stands where a packet comes into another pipeline', async (t) => {
  const sources = [
    'port p1',
    'n1 ingress 0 ls_in_check_port_sec priority=50 1',
    'n1+n2 ingress 4 ls_in_lookup_fdb priority=0 1',
    'n1+n2 egress 11 ls_out_check_port_sec priority=0 1',
    'n1 egress 3 ls_out_pre_lb priority=110 ip',
    'ovn_cluster_router ingress 0 lr_in_admission priority=50 eth.dst == 0a:00:0a:0a:01:01',
    'n1+n2 ingress 28 ls_in_l2_lkup priority=50 eth.dst == 0a:00:0a:0a:02:03',
  ];
  let place: LogicalPlace | undefined;
  const titles = sources.map((source) => {
    const next = nextPlace(place, source);
    place = next.place;
    return next.title ?? '';
  });
  t.strictSame(titles, [
    '',
    'ingress(dp="n1")',
    '',
    'egress(dp="n1+n2")',
    '',
    'ingress(dp="ovn_cluster_router")',
    'ingress(dp="n1+n2")',
  ]);
});
