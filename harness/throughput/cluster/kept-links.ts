/** Links of a node's ports while the node is gone: hosts at them run on, and keep their ends. */
import type { NodePlan } from '../../domain/plan/cluster-plan.js';
import { systemProgram } from '../../ovs/process/system-program.js';
import type { Carrier } from '../../testbeds/netns/carrier.js';

export interface KeptLinks {
  /** Of the node before. */
  readonly carrier: Carrier;
  /** The process that holds the namespace where they are meanwhile. */
  readonly keeper: number;
  readonly ports: ReadonlySet<string>;
  /** Of hosts that run on, by name. */
  readonly holders: ReadonlyMap<string, number>;
}

export async function keepLinks(
  carrier: Carrier,
  { bridges }: NodePlan,
  holders: ReadonlyMap<string, number>,
): Promise<KeptLinks> {
  const keeper = await carrier.namespace();
  const ports = bridges
    .flatMap((bridge) => bridge.ports)
    .filter(({ kind }) => kind === 'endpoint' || kind === 'uplink')
    .map(({ name }) => name);
  const moves = ports.map((name) => `link set dev ${name} netns ${keeper}`);
  await carrier.run([systemProgram('ip'), '-batch', '-'], moves.join('\n'));
  const hosts = [...holders].filter(([, holder]) => holder !== carrier.pid);
  return { carrier, keeper, ports: new Set(ports), holders: new Map(hosts) };
}

/** The link of a port comes to the node that is there now. */
export async function takeLink(
  { carrier, keeper }: KeptLinks,
  to: Carrier,
  name: string,
): Promise<void> {
  const move = ['link', 'set', 'dev', name, 'netns', String(to.pid)] as const;
  await carrier.runIn(keeper, [systemProgram('ip'), ...move]);
  await to.run([systemProgram('ip'), 'link', 'set', 'dev', name, 'up']);
}
