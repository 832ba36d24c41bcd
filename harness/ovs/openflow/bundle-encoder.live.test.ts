/**
 * Goal: a bundle that this process encodes is the one that ovs-ofctl sends. Method: flows of few
 * shapes with many values, most of which ovs-ofctl has never seen, beside what it sends for each of
 * them.
 */
import { join } from 'node:path';
import t from 'tap';
import { openImage } from '../../../images/images.js';
import { canonicalText, knownFlowReader } from '../../openflow/flows/known-texts.js';
import { noNames } from '../../openflow/syntax/form.js';
import { createWorkspace } from '../workspace/workspace.js';
import { bundleEncoderOf, textOfLine, type BundleLine } from './bundle-encoder.js';
import { messageSplitter, types } from './openflow-messages.js';
import { recordBundle } from './recorded-bundle.js';

const image = await openImage('trixie', (line) => t.comment(line));
const workspace = await createWorkspace();
t.teardown(() => workspace.remove());
const options = ['-O', 'OpenFlow15', '--timeout=60'];

const ports = new Map([
  ['gw0', 2],
  ['p1', 3],
]);
const read = knownFlowReader({ ...noNames, ports });

/** As one node of a cluster has them. */
function linesOf(node: number): readonly BundleLine[] {
  const [last, ip] = [node.toString(16).padStart(2, '0'), (16 + node).toString(16)];
  const mac = `0a:00:00:00:00:${last}`;
  const port1 = `load:0x${(node + 1).toString(16)}->NXM_NX_REG1[]`;
  return [
    'flow delete',
    `group add group_id=${node},type=all,bucket=actions=output:${node}`,
    ...[
      `table=0,priority=190,in_port=p1 actions=${port1},goto_table:10`,
      `table=0,priority=190,in_port=gw0 actions=load:0x7->NXM_NX_REG1[],goto_table:10`,
      `table=10,arp,arp_spa=10.0.${node}.1,arp_sha=${mac} ` +
        `actions=load:0xa00${ip}01->NXM_OF_ARP_SPA[],IN_PORT`,
      `table=70,ip,nw_dst=10.0.${node}.2 ` +
        `actions=mod_dl_src:${mac},mod_dl_dst:0a:00:00:00:01:${last},dec_ttl,output:p1`,
      `table=70,ip,nw_dst=10.1.${node}.0/24 ` +
        `actions=mod_dl_src:${mac},load:0xac1e00${ip}->NXM_NX_TUN_IPV4_DST[],output:1`,
      `table=70,ip,nw_src=10.${node}.0.0/16,nw_dst=10.${node}.7.0/24 actions=output:1`,
      `table=80,dl_dst=${mac} actions=conjunction(${node},1/2)`,
    ].map((text, index) => ({ add: read(text, { file: 'flows', line: index + 1 }) })),
  ];
}

/** Without what distinguishes one message from another (xid), there and in what it adds. */
function withoutIds(message: Buffer): string {
  const hex = message.toString('hex');
  return `${hex.slice(0, 8)}${hex.slice(16, 40)}${hex.slice(48)}`;
}

void t.test('what ovs-ofctl sends', async (t) => {
  const encoder = bundleEncoderOf(image, options);
  for (const node of [1, 2, 3, 99, 200]) {
    const lines = linesOf(node);
    const encoded = await encoder.encode(lines, workspace.dir);
    const recorded = await recordBundle(image, options, workspace.dir, lines.map(textOfLine));
    t.strictSame(
      messageSplitter()(encoded?.messages ?? Buffer.alloc(0))
        .filter(({ type }) => type === types.bundleAdd)
        .map(({ bytes }) => withoutIds(bytes)),
      recorded?.added.map(withoutIds),
      `node ${node}`,
    );
  }
  const [flow] = linesOf(3).slice(2);
  t.match(flow, { add: { shape: /port/ } }, 'by its shape');
  const unknown = canonicalText(read('ip actions=output:5', { file: 'flows', line: 1 }));
  t.equal(await encoder.encode([`flow add ${unknown}`, 'flow add fly'], workspace.dir), undefined);
  const nowhere = join(workspace.dir, 'none');
  t.ok(await encoder.encode(linesOf(2), nowhere), 'what is known needs no ovs-ofctl');
});

void t.test('many flows are several bundles, each whole', async (t) => {
  const encoder = bundleEncoderOf(image, options);
  const lines = Array.from({ length: 150 }, (_, index) => ({
    add: read(`ip,nw_dst=10.7.0.${index} actions=output:1`, {
      file: 'flows',
      line: index + 1,
    }),
  }));
  const encoded = await encoder.encode(['flow delete', ...lines], workspace.dir);
  const kinds = messageSplitter()(encoded?.messages ?? Buffer.alloc(0)).map(({ type, body }) =>
    type === types.bundleAdd ? 'add' : body.readUInt16BE(4) === 0 ? 'open' : 'commit',
  );
  t.equal(encoded?.count, 3);
  t.equal(
    kinds.join(' '),
    [64, 64, 23].map((size) => `open ${'add '.repeat(size)}commit`).join(' '),
  );
});
