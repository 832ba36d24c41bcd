// Goal: what ovn-trace prints is read back: logical flows, where the tracker is asked, where the
// packet comes out, and what was only supposed. Method: parts of what OVN 25.03 prints.
import t from 'tap';
import { readOvnTrace } from './read-ovn-trace.js';

const printed = `# icmp,reg14=0x2

ingress(dp="n1", inport="p1")
-----------------------------
 0. ls_in_check_port_sec (northd.c:9365): 1, priority 50, uuid d29ecaf5
    reg0[15] = check_in_port_sec();
    next;
 8. ls_in_pre_stateful (northd.c:6160): reg0[0] == 1, priority 100, uuid 0a9ecaf5
    ct_next;

ct_next(ct_state=new|trk)
-------------------------
28. ls_in_l2_lkup (northd.c:10246): eth.dst == 0a:00:0a:0a:01:01, priority 50, uuid 7b292646
    outport = "p2";
    output;
    /* output to "p2", type "" */
    get_arp(outport, reg0);
    /* No MAC binding. */
`;

void t.test('flows, questions, outputs and what is supposed', async (t) => {
  t.strictSame(readOvnTrace(printed), {
    flows: ['d29ecaf5', '0a9ecaf5', '7b292646'],
    tracked: [{ flow: '0a9ecaf5', next: 2, isCleared: false }],
    outputs: [{ port: 'p2', type: '' }],
    supposed: [{ what: '/* No MAC binding. */', from: 3 }],
  });
});

void t.test('a state that is kept from one pipeline to the next', async (t) => {
  const asked = (more: string) => `${printed.replace(/ {4}get_arp[^]*/, '')}
egress(dp="n1", inport="p1", outport="p2")
------------------------------------------
 5. ls_out_acl_hint (northd.c:6360): ct.new && !ct.est, priority 7, uuid 000000aa
${more}
 8. ls_out_acl_eval (northd.c:6360): ip4, priority 7, uuid 000000ab
`;
  const what = 'the state of the connection is kept from the pipeline before';
  t.strictSame(readOvnTrace(asked('    next;')).supposed, [{ what, from: 3 }]);
  t.strictSame(readOvnTrace(asked('ct_next(ct_state=est|trk)')).supposed, [
    { what, from: 3, to: 4 },
  ]);
  t.strictSame(readOvnTrace(asked('ct_lb_mark /* default (use --ct to customize) */')).tracked, [
    { flow: '0a9ecaf5', next: 2, isCleared: false },
    { flow: '000000aa', next: 4, isCleared: false },
  ]);
});

void t.test(
  'what translates asks for a state where there is none; taking back is supposed',
  (t) => {
    const read = (line: string) => readOvnTrace(printed.replace(/ {4}get_arp[^]*/, `${line}\n`));
    const asks = { flow: '7b292646', next: 3, isCleared: false };
    const line = 'ct_dnat /* assuming no un-dnat entry, so no change */';
    t.strictSame(read(line).supposed, [{ what: line, from: 3 }]);
    for (const one of [
      line,
      'ct_snat(ip4.src=10.10.2.102)',
      'ct_dnatin_czone(ip4.dst=10.10.2.2)',
      'ct_commit_nat /* assuming no un-nat entry, so no change */',
      'ct_commit_to_zone(dnat)',
    ]) {
      t.equal(read(one).tracked.length, 1, `${one} keeps that of ct_next`);
      const cleared = { ...asks, isCleared: true };
      t.strictSame(read(`    ct_clear;\n${one}`).tracked.at(-1), cleared, one);
      t.equal(read(`    ct_clear;\n    ${one};`).tracked.length, 1, `${one}; is an action`);
    }
    t.strictSame(read('ct_lb_mark').tracked.at(-1), asks, 'a load balancer always asks');
    t.end();
  },
);

void t.test('copies of a multicast group, each of which begins with the state before it', (t) => {
  const copy = (flow: string, more: string) => `
    egress(dp="n1", inport="p1", outport="p2")
    ------------------------------------------
         5. ls_out_acl_hint (northd.c:6835): !ct.trk, priority 5, uuid ${flow}
            ${more}
`;
  const copies = ['multicast(dp="n1", mcgroup="_MC_flood")', '-'.repeat(39)].join('\n');
  const first = copy('000000aa', 'ct_clear;') + copy('000000ab', 'next;');
  const { supposed } = readOvnTrace(
    `${printed.replace(/ {4}get_arp[^]*/, '')}${copies}${first}\n        ct_next(ct_state=est|trk)\n`,
  );
  const what = 'the state of the connection is kept from the pipeline before';
  t.strictSame(supposed, [
    { what, from: 3, to: 4 },
    { what, from: 4, to: 5 },
  ]);
  const asked = readOvnTrace(
    printed.replace(/ {4}get_arp[^]*/, '') +
      copies +
      copy('000000aa', 'ct_clear;') +
      copy('000000ab', 'ct_next(ct_state=est|trk)'),
  );
  t.strictSame(
    asked.tracked.at(-1),
    { flow: '000000ab', next: 5, isCleared: false },
    'a mark is cleared of one copy',
  );
  const rejected = `# arp,reg14=0x2\n${copies}${copy('000000aa', 'reject { next; };')}
        icmp6
        -----
`;
  t.strictSame(readOvnTrace(rejected).supposed, [{ what: 'icmp6 for what is no IP', from: 1 }]);
  t.end();
});

void t.test('where it ends, and OVN continues', (t) => {
  const ended = (line: string) =>
    readOvnTrace(printed.replace(/ {4}get_arp[^]*/, `    ${line}\n`)).supposed;
  t.strictSame(ended('ct_snat;'), [{ what: 'ct_snat;', from: 3 }], 'of a gateway router');
  const port = '/* output to "cr-stor-n1", type "chassisredirect" */';
  t.strictSame(ended(port), [{ what: port, from: 3 }]);
  t.strictSame(ended('ct_snat_to_vip;'), []);
  t.end();
});

void t.test('a request for a lease continues in place of the answer', (t) => {
  const line = '/* We assume that this packet is DHCPDISCOVER or DHCPREQUEST. */';
  const what = 'put_dhcp_opts leaves ip4.dst as it is';
  t.strictSame(readOvnTrace(printed.replace(/ {4}get_arp[^]*/, `    ${line}\n`)).supposed, [
    { what, from: 3, field: 'ip4.dst' },
  ]);
  t.end();
});
