// Goal: addresses that follow from others. Method: the examples of RFC 4291 and RFC 2464, by hand.
import t from 'tap';
import { groupMac, linkLocalOf, solicitedNodeOf } from './link-local.js';

void t.test('examples', async (t) => {
  t.equal(linkLocalOf('34:56:78:9a:bc:de'), 'fe80::3656:78ff:fe9a:bcde');
  t.equal(linkLocalOf('0a:58:0a:f3:00:00'), 'fe80::858:aff:fef3:0');
  t.equal(solicitedNodeOf('4037::1:800:200e:8c6c'), 'ff02::1:ff0e:8c6c');
  t.equal(groupMac('ff02::1:ff0e:8c6c'), '33:33:ff:0e:8c:6c');
  t.equal(groupMac('ff02::1:2'), '33:33:00:01:00:02');
});
