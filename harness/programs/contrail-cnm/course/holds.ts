/** Steps at which a call holds until it continues, one call at a time behind each step. */
import type { CreatingStep } from '../../../control/contrail/course.js';
import type { AgentStep } from '../agent/port-api.js';
import type { HnsStep } from '../hns/hns-service.js';
import type { PluginStep } from '../plugin/context.js';

export type Step = PluginStep | HnsStep | AgentStep | 'interface made' | 'adapter announced';

/** Of the seed's numbers: what is done then, by whomever. */
export const stepNumbered: Readonly<Record<CreatingStep, Step>> = {
  1: 'instance-ip created',
  2: '2 metadata received',
  3: '3 instance-ip bound',
  4: '4 details received',
  5: 'endpoint asked',
  6: 'interface made',
  7: 'adapter announced',
  8: 'adapter seen',
  9: '9 endpoint received',
  10: 'port asked',
  11: 'controller knows',
  12: 'flows are there',
  13: '13 port added',
};

export interface Holds {
  /** The next one who reaches the step holds there. */
  arm(step: Step): Hold;
  reached(step: Step): Promise<void>;
}

export interface Hold {
  readonly isReached: Promise<void>;
  release(): void;
}

export function holdsOf(): Holds {
  const armed = new Map<Step, { readonly atIt: () => void; readonly released: Promise<void> }>();
  return {
    arm: (step) => {
      let [atIt, release] = [() => undefined as void, () => undefined as void];
      const isReached = new Promise<void>((resolve) => (atIt = resolve));
      const released = new Promise<void>((resolve) => (release = resolve));
      armed.set(step, { atIt, released });
      return { isReached, release: () => release() };
    },
    reached: async (step) => {
      const hold = armed.get(step);
      if (hold === undefined) return;
      armed.delete(step);
      hold.atIt();
      await hold.released;
    },
  };
}
