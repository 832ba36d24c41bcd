/** Links of ports that go down and come up. */
import { InputError } from '../../../base/errors/errors.js';
import { plannedDownPorts, type NodePlan } from '../../../domain/plan/cluster-plan.js';
import { portNumbers } from '../../../openflow/bridge-program.js';
import { reservedPorts } from '../../../openflow/syntax/ports.js';
import type { Unixctl } from '../../../ovs/unixctl.js';
import type { Devices } from '../devices.js';
import { until } from '../../../base/concurrency/until.js';
import { wiredPorts } from './interface-plan.js';
import { giveUpMs } from '../../../base/concurrency/deadline.js';

export interface Links {
  /** Resolves once packets are translated by it. @throws InputError for a port without a wire. */
  set(port: string, state: 'up' | 'down'): Promise<void>;
  isDown(port: string): boolean;
  /** There is no such port any more. */
  gone(port: string): void;
  /** Every link is as planned. */
  restore(): Promise<void>;
}

const limitMs = giveUpMs;

export function linksOf(planned: () => NodePlan, { call }: Unixctl, devices: Devices): Links {
  const down = new Set<string>();
  const set = async (port: string, state: 'up' | 'down') => {
    const plan = planned();
    const wired = wiredPorts(plan);
    if (!wired.includes(port))
      throw new InputError(
        `port "${port}" of node ${plan.node} has no link that goes up and down: ` +
          `${wired.join(', ')} have one`,
      );
    await devices.setLink(call, port, state);
    await until(`node ${plan.node} to see port ${port} ${state}`, limitMs, async () =>
      (await isAlive(plan, port, call)) === (state === 'up') ? [] : ['it does not yet'],
    );
    if (state === 'down') down.add(port);
    else down.delete(port);
  };
  return {
    set,
    isDown: (port) => down.has(port),
    gone: (port) => void down.delete(port),
    restore: async () => {
      const plan = planned();
      const wanted = new Set(plan.asDumped?.downPorts ?? plannedDownPorts(plan));
      for (const port of down) if (!wanted.has(port)) await set(port, 'up');
      for (const port of wanted) if (!down.has(port)) await set(port, 'down');
    },
  };
}

/**
 * Whether packets are translated with the port alive: the interface's new state passes from it to
 * the bridge and from there to the translation in turns of the main loop. A bundle with the port as
 * its only member asks the translation itself.
 */
async function isAlive(
  { bridges }: NodePlan,
  port: string,
  call: Unixctl['call'],
): Promise<boolean> {
  const bridge = bridges.find((candidate) => portNumbers(candidate).has(port));
  const trace = await call(
    'ofproto/trace-packet-out',
    bridge?.name ?? '',
    `in_port=${reservedPorts.ANY}`,
    'bundle(eth_src,0,active_backup,ofport,' +
      `members:${bridge === undefined ? '' : portNumbers(bridge).get(port)})`,
  );
  return !/^Datapath actions: drop$/m.test(trace);
}
