/**
 * Goal: what L0 promises of pods is what OVN's own ovn-trace makes of the rows that the plugin and
 * its watcher have written: a fourth voice beside intent, model and switch. Method: each pair of
 * pods of the shop, a datagram from one to the other, through the southbound database alone.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import t from 'tap';
import { openImage } from '../../../images/images.js';
import { shop, shopWithEgress } from '../../../topologies/ovn-cni/shop.js';
import type { OvnCniCluster } from '../../../topologies/ovn-cni/ovn-cni-topology.js';
import { podsOf } from '../../domain/topology.js';
import { ovnCniPromises } from '../../intent/ovn-cni/promises.js';
import { intentOf } from '../../intent/intent.js';
import { openSim } from '../../testbeds/sim/sim.js';
import { attachmentsOn } from './attachments.js';
import { ovnCni } from './index.js';
import { logicalPortOf } from './names.js';

const image = await openImage('trixie', (line) => t.comment(line));
const run = promisify(execFile);

const clusters = { shop: shop(), egress: shopWithEgress('ingress and egress') };
for (const [name, cluster] of Object.entries(clusters))
  void t.test(name, { timeout: 300_000 }, async (t) => {
    const switches = await openSim(ovnCni().plan(cluster), image);
    t.teardown(() => switches.close());
    const southbound = `unix:${switches.dir}/global~sb/db.sock`;
    const ends = endsOf(cluster);
    const seen = { passes: 0, blocked: 0 };
    for (const from of ends)
      for (const to of ends) {
        if (from === to) continue;
        const stimulus = { kind: 'udp', from: from.pod.name, to: to.pod.ip, port: 7 } as const;
        const { kind } = intentOf(cluster, stimulus, ovnCniPromises);
        const passes = kind === 'round-trip';
        const traced = await trace(southbound, from, to);
        t.equal(traced, passes, `${from.pod.name} to ${to.pod.name}: promised ${kind}`);
        seen[passes ? 'passes' : 'blocked'] += 1;
      }
    t.ok(seen.passes > 0 && seen.blocked > 0, JSON.stringify(seen));
  });

interface End {
  readonly pod: { readonly name: string; readonly ip: string; readonly mac: string };
  readonly port: string;
  readonly node: string;
  readonly gatewayMac: string;
}

function endsOf(cluster: OvnCniCluster): readonly End[] {
  const nodeOf = new Map(podsOf(cluster).map(({ pod, node }) => [pod.name, node]));
  return cluster.nodes.flatMap((node) =>
    attachmentsOn(node, cluster).map(({ pod, attachment }) => ({
      pod,
      port: logicalPortOf(attachment),
      node: nodeOf.get(pod.name)?.name ?? '',
      gatewayMac: node.gateway.mac,
    })),
  );
}

/** Whether ovn-trace(8) puts a first datagram out at the port of `to`. */
async function trace(southbound: string, from: End, to: End): Promise<boolean> {
  const nextHop = from.node === to.node ? to.pod.mac : from.gatewayMac;
  const packet = [
    `inport == "${from.port}"`,
    `eth.src == ${from.pod.mac} && eth.dst == ${nextHop}`,
    `ip4.src == ${from.pod.ip} && ip4.dst == ${to.pod.ip} && ip.ttl == 64`,
    'udp.src == 40000 && udp.dst == 7',
  ].join(' && ');
  // Debian's ovn-common has it beside ovn-nbctl.
  const [file = '', ...args] = image
    .command('ovn-nbctl')
    .map((part) => part.replace(/ovn-nbctl$/, 'ovn-trace'));
  const { stdout } = await run(file, [
    ...args,
    ...[`--db=${southbound}`, '--ct=new', '--ct=new', '--ct=new', '--minimal', from.node, packet],
  ]);
  return stdout.includes(`output("${to.port}")`);
}
