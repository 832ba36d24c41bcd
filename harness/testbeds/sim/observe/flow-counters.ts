/** What the flows of one node have counted since they were last reset. */
import type { NodePlan } from '../../../domain/plan/cluster-plan.js';
import type { FlowCount } from '../../../domain/switching.js';
import { parseBridgeOptions } from '../../../openflow/bridge-program.js';
import { noNames } from '../../../openflow/syntax/form.js';
import type { Unixctl } from '../../../ovs/unixctl.js';
import { once } from '../../../base/once-per.js';
import { until } from '../../../base/concurrency/until.js';
import { parseCachedFlows } from '../quiesce/conservation.js';
import { countsSince, flowCounter, rebased } from './flow-counts.js';
import { giveUpMs } from '../../../base/concurrency/deadline.js';

export interface FlowCounters {
  /** Throws away what is cached, once it has counted. */
  purge(): Promise<void>;
  /**
   * All count from zero: from where they stood when `since` was asked last, if nothing has come
   * through since, or from what the switch dumps now. @param meanwhile what has to be over by then.
   */
  begin(
    from: 'as they stand' | 'as they are dumped',
    ...meanwhile: readonly Promise<unknown>[]
  ): Promise<void>;
  /** Flows have changed: those that are new count from zero. What was cached is thrown away. */
  changed(): Promise<void>;
  since(): Promise<readonly FlowCount[]>;
  /**
   * Whether there are the flows that were there when all began to count. What is cached is thrown
   * away.
   */
  areFlowsUnchanged(): Promise<boolean>;
  /** What `since` returns right after `begin`. */
  zeros(): readonly FlowCount[];
}

const limitMs = giveUpMs;

/** Read where it is asked for: of many nodes most are never asked. */
type Counts = () => readonly FlowCount[];

export function flowCountersOf({ node, bridges }: NodePlan, { call }: Unixctl): FlowCounters {
  const readers = bridges.map((bridge) => ({
    bridge: bridge.name,
    read: flowCounter(node, bridge.name, {
      ...noNames,
      tunnelOptions: parseBridgeOptions(node, bridge),
    }),
  }));
  let baseline: Counts = () => [];
  let lastCounts: Counts | undefined;
  let none: Counts = () => [];
  /**
   * Counters of flows lag behind cached packets until the cache is purged into them. A purge passes
   * over what a revalidator holds at that moment: once nothing is cached, all is counted.
   */
  const dumpCounts = async (): Promise<Counts> => {
    let counts: Counts = () => [];
    await until(`node ${node} to count its packets`, limitMs, async () => {
      const [, shown, ...dumps] = await Promise.all([
        call('revalidator/purge'),
        call('dpctl/show'),
        ...readers.map(({ bridge }) => call('bridge/dump-flows', bridge)),
      ]);
      const cached = cachedIn(shown);
      if (cached.length === 0)
        counts = once(() => readers.flatMap(({ read }, index) => read(dumps[index] ?? '')));
      return cached;
    });
    return counts;
  };
  return {
    purge: () =>
      until(`node ${node} to throw away what is cached`, limitMs, async () => {
        const [, shown] = await Promise.all([call('revalidator/purge'), call('dpctl/show')]);
        return cachedIn(shown);
      }),
    begin: async (from, ...meanwhile) => {
      [baseline] = await Promise.all([
        from === 'as they stand' && lastCounts !== undefined ? lastCounts : dumpCounts(),
        ...meanwhile,
      ]);
      const began = baseline;
      none = once(() => countsSince(began(), began()));
    },
    changed: async () => {
      const [before, counts] = [baseline, await dumpCounts()];
      baseline = once(() => rebased(before(), counts()));
    },
    since: async () => countsSince(baseline(), (lastCounts = await dumpCounts())()),
    areFlowsUnchanged: async () => {
      const now = new Set((lastCounts = await dumpCounts())().map(({ flow }) => flow));
      return now.size === none().length && none().every(({ flow }) => now.has(flow));
    },
    zeros: () => none(),
  };
}

/** What keeps a purge from being over. */
function cachedIn(shown: string): readonly string[] {
  const cached = parseCachedFlows(shown);
  return cached === 0 ? [] : [`${cached} flows are still cached`];
}
