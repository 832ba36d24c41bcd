/** Devices of a cluster whose queueing discipline holds packets back (tc(8)). */
import { z } from 'zod';
import { systemProgram } from '../../ovs/process/system-program.js';
import type { ExactCheck } from '../inspect-path.js';
import type { RealCluster } from './real-cluster.js';

/** What the kernel gives to devices by itself: packets leave as fast as the device takes them. */
const usual: ReadonlySet<string> = new Set([
  ...['noqueue', 'noop', 'mq', 'pfifo', 'pfifo_fast', 'fq', 'fq_codel'],
]);

const disciplines = z.array(z.object({ kind: z.string(), dev: z.string() }));
const show = [systemProgram('tc'), '-j', 'qdisc', 'show'] as const;

/** Of nodes, of their hosts, and of the network between nodes: no plan here has one. */
export async function inspectDisciplines({
  devices,
  between,
}: Pick<RealCluster, 'devices' | 'between'>): Promise<ExactCheck> {
  const found = [...shaping('between nodes', await between.carrier.run(show))];
  for (const [node, { carrier, holders }] of devices) {
    found.push(...shaping(node, await carrier.run(show)));
    for (const [host, holder] of holders)
      if (holder !== carrier.pid) found.push(...shaping(host, await carrier.runIn(holder, show)));
  }
  return {
    what: 'devices that hold packets back',
    expected: 'none',
    actual: found.length === 0 ? 'none' : found.join(', '),
    holds: found.length === 0,
  };
}

function shaping(place: string, text: string): readonly string[] {
  return disciplines
    .parse(JSON.parse(text))
    .filter(({ kind }) => !usual.has(kind))
    .map(({ kind, dev }) => `${dev} at ${place} (${kind})`);
}
