// Goal: a packet at which ovn-trace ends itself is skipped, counted and named, and no difference;
// where it says something else, that is one. Method: two packets of a plan in memory, one that it
// follows and one that ends it.
import t from 'tap';
import type { LogicalTrace } from '../../domain/logical-trace.js';
import { compareLogical } from './compare-logical.js';
import type { LogicalPassage } from './logical-passages.js';

const passage = (logicalPort: string): LogicalPassage => ({
  ...{ node: 'n1', logicalPort, frame: new Uint8Array(60), flows: [], tracked: [], outputs: [] },
});
const silent: LogicalTrace = {
  ...{ command: 'ovn-trace', flows: [], effects: new Map(), outputs: [], supposed: [] },
};
const source = 'n1 ingress 4 ls_in_arp_rsp priority=50 1';

const flow = { node: 'n1', bridge: 'br-int', table: 12, priority: 50, match: '' };

const compare = (said: Readonly<Record<string, LogicalTrace>>, met?: string) =>
  compareLogical(
    { nodes: [] },
    Object.keys(said).map((port) => ({
      ...passage(port),
      flows: met === undefined ? [] : [flow],
    })),
    Object.values(said),
    () => met,
  );

void t.test('a crash is skipped, counted and named', (t) => {
  t.strictSame(compare({ p1: silent, p2: { ...silent, crash: 'SIGSEGV' } }), {
    differences: [],
    count: { expected: 2, made: 1, skipped: 1 },
    crashes: ['SIGSEGV'],
    supposed: [],
  });
  t.end();
});

void t.test('a flow that it takes alone is a difference', (t) => {
  const { differences, crashes } = compare({ p1: { ...silent, flows: [source] } });
  t.match(differences, [{ aspect: 'ovn-trace', summary: /ovn-trace takes n1 ingress 4/ }]);
  t.strictSame(crashes, []);
  t.end();
});

void t.test('of two flows of one table and priority either may be taken', (t) => {
  const said = { p1: { ...silent, flows: [source] } };
  const met = 'n2+n1 ingress 4 ls_in_arp_rsp priority=50 reg0[16] == 1';
  const skipped = [[], 1, ['two logical flows of one table and priority']];
  for (const flows of [[source], [met, source]]) {
    // Of a copy that goes elsewhere it may have taken the other.
    const { differences, count, supposed } = compare({ p1: { ...silent, flows } }, met);
    t.strictSame([differences, count.skipped, supposed], skipped);
  }
  for (const other of [
    'n2 ingress 4 ls_in_arp_rsp priority=50 reg0[16] == 1',
    'n1 ingress 4 ls_in_arp_rsp priority=60 reg0[16] == 1',
    'n1 egress 4 ls_out_pre_lb priority=50 reg0[16] == 1',
  ])
    t.equal(compare(said, other).differences.length, 1, other);
  t.end();
});

void t.test('that a port meets itself OpenFlow learns, and ovn-trace does not know', (t) => {
  const hairpin = 'n1 ingress 16 ls_in_nat_hairpin priority=90 ip && reg0[12] == 1';
  const other = 'n1 ingress 20 ls_in_acl_after_lb_action priority=0 1';
  const said = { p1: { ...silent, flows: [other] } };
  t.strictSame(compare(said, hairpin).supposed, ['a port meets itself behind a load balancer']);
  for (const wrong of [hairpin.replace('[12]', '[11]'), hairpin.replace('_nat_', '_pre_')])
    t.equal(compare(said, wrong).differences.length, 1, wrong);
  t.end();
});

void t.test('behind a backend that is drawn nothing is compared, before it all is', (t) => {
  const lb = 'n1 ingress 13 ls_in_lb priority=120 ct.new && ip4.dst == 10.96.0.1';
  const before = 'n1 ingress 5 ls_in_pre_acl priority=110 ip';
  const behind = 'n1 ingress 20 ls_in_acl_after_lb_action priority=0 1';
  const said = (flows: readonly string[], actions: string) => ({
    p1: { ...silent, flows, effects: new Map([[lb, `ingress 13 120 ${actions}`]]) },
  });
  for (const drawn of [
    'ct_lb_mark(backends=10.1.0.2:80,10.1.0.3:80);',
    'ct_lb(backends=[fd00::2]:80,[fd00::3]:80; hash_fields="ip_src");',
    'reg8[16..31] = select(1, 2);',
    'reg8[16..31] = select(values=(1,2); hash_fields="ip_src");',
  ]) {
    const skipped = ['one of several backends is drawn by chance'];
    t.strictSame(compare(said([lb], drawn), lb).supposed, skipped, `${drawn}, as OpenFlow`);
    t.strictSame(compare(said([lb, behind], drawn), lb).supposed, skipped, drawn);
    t.equal(compare(said([before, lb], drawn), lb).differences.length, 1, `before ${drawn}`);
    t.equal(compare(said([lb], drawn), before).differences.length, 1, `instead of ${drawn}`);
  }
  const one = 'ct_lb_mark(backends=10.1.0.2:80);';
  t.strictSame(compare(said([lb], one), lb).count.skipped, 0);
  t.equal(compare(said([lb, behind], one), lb).differences.length, 1, one);
  t.end();
});

void t.test('what is said of a field is about flows that match it', (t) => {
  const missed = 'n1+n2 egress 2 ls_out_pre_acl priority=100 ip';
  const what = 'put_dhcp_opts leaves ip4.dst as it is';
  const said = { ...silent, flows: [missed], supposed: [{ what, from: 0, field: 'ip4.dst' }] };
  const met = 'n1 egress 2 ls_out_pre_acl priority=33705 (ip4.dst == {192.0.2.1})';
  t.strictSame(compare({ p1: said }, met).supposed, [what]);
  for (const other of [
    met.replace('ip4.dst', 'ip4.src'),
    met.replace('egress 2 ls_out_pre_acl', 'egress 6 ls_out_acl_eval'),
    met.replace('n1', 'n3'),
  ])
    t.equal(compare({ p1: said }, other).differences.length, 1, other);
  const before = { ...said, supposed: [{ what, from: 1, field: 'ip4.dst' }] };
  t.equal(compare({ p1: before }, met).differences.length, 1, 'before it is supposed');
  t.end();
});

void t.test('a difference names the flow that OpenFlow takes in that stage', (t) => {
  const said = { p1: { ...silent, flows: ['n1+n2 egress 2 ls_out_pre_acl priority=100 ip'] } };
  const met = 'n1 egress 2 ls_out_pre_acl priority=110 eth.mcast';
  t.match(compare(said, met).differences, [{ expected: `no port: ${met}`, at: { flow } }]);
  t.end();
});

void t.test('a flow that OpenFlow takes alone is a difference, unless it only continues', (t) => {
  const stage = 'n1 egress 2 ls_out_pre_acl priority=33705 ip4';
  const said = (actions: string): Readonly<Record<string, LogicalTrace>> => ({
    p1: { ...silent, effects: new Map([[stage, `egress 2 33705 ${actions}`]]) },
  });
  t.strictSame(compare(said('next;'), stage).differences, []);
  const alone = said('reg0[16] = 1; next;');
  t.match(compare(alone, stage).differences, [{ expected: `no port: ${stage}`, at: { flow } }]);
  const beside = (other: string) => {
    const effects = new Map([...(alone['p1']?.effects ?? []), [other, 'egress 2 33705 next;']]);
    return compare({ p1: { ...silent, effects } }, stage);
  };
  const equal = stage.replace('n1', 'n1+n2').replace('ip4', 'eth.mcast');
  t.strictSame(beside(equal).supposed, ['two logical flows of one table and priority']);
  for (const other of [equal.replace('33705', '110'), equal.replace('n1+', 'n3+')])
    t.equal(beside(other).differences.length, 1, other);
  t.end();
});
