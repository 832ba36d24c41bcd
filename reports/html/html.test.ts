// Goal: a page of several scenarios says above all what was found, and of one without findings no
// more than that. Method: the model in place of switches, right in one scenario and wrong in
// another.
import t from 'tap';
import encap from '../../scenarios/antrea/encap.js';
import { openWithFlows, sampleRun } from '../../harness/explain/sample-run.js';
import { renderHtml } from './html.js';

const scenario = { scenario: encap, axes: { nodes: '2', tunnel: 'geneve' }, only: ['ping/p1/p4'] };
const open = openWithFlows('n1', 'br-int', (flows) =>
  flows.filter((flow) => !/tun_dst|TUN_IPV4_DST/i.test(flow)),
);

void t.test('several scenarios, one of which diverges', async (t) => {
  const page = await renderHtml(await sampleRun([scenario, { ...scenario, open }]));
  t.match(page, /<h1 class="diverges">[^]*1 of 2 vectors diverge/);
  t.match(
    page,
    /href="#findings-1"><span[^>]*>✕<\/span> antrea\/encap [^<]*1 of 1 vectors diverge/,
  );
  t.match(page, '1 of 2 scenarios conform');
  t.match(page, 'class="skip" href="#findings-1"');
  t.equal(page.match(/In this scenario nothing was found/g)?.length, 1);
  t.notMatch(page, '>Nothing was found');
});

void t.test('one scenario needs no contents', async (t) => {
  const page = await renderHtml(await sampleRun([scenario]));
  t.match(page, 'class="skip" href="#findings-0"');
  t.notMatch(page, 'Scenarios with findings');
});
