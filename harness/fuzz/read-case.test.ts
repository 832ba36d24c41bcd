// Goal: flows that a switch refuses for what its datapath lacks are known before. Method: one that
// sets such a field, beside others that reach it by other ways, as both datapaths take them.
import t from 'tap';
import { behaviourOf, newest, type Version } from '../model/behaviour.js';
import { readCase } from './read-case.js';

void t.test('what a kernel has no field for is not set', (t) => {
  const match = 'icmp6,icmp_type=136,icmp_code=0';
  const sets = `${match} actions=set_field:9->nd_reserved`;
  const others = ['clone(set_field:9->nd_reserved)', 'pop:nd_reserved', 'set_field:9->nw_ttl'];
  const flows = [sets, ...others.map((action) => `${match} actions=${action}`)];
  const refusedBy = (version: Version) =>
    readCase({ groups: [], flows, beyond: [], steps: [] }, behaviourOf(version)).rejections;
  t.same(refusedBy(newest), []);
  t.match(refusedBy([3, 5, 'in the kernel']), [
    { line: `flow add ${sets}`, why: 'the kernel has no nd_reserved to be set' },
  ]);
  t.end();
});
