/**
 * A plugin that can be killed within this process: as behind SIGKILL it does nothing more, and
 * those whom it has asked finish what they were asked.
 */
import type { PluginContext } from '../plugin/context.js';

export interface Mortal {
  readonly context: PluginContext;
  /** Resolves when all are done whom it had asked. */
  kill(): Promise<void>;
}

const never = new Promise<never>(() => undefined);

export function mortal(living: PluginContext): Mortal {
  let isDead = false;
  const underWay = new Set<Promise<unknown>>();
  /** What it gets to know once it is dead it never knows. */
  const asking = <Asked extends object>(asked: Asked): Asked =>
    new Proxy(asked, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        return (...args: readonly unknown[]): unknown => {
          if (isDead) return never;
          const given: unknown = Reflect.apply(member, target, args);
          if (!(given instanceof Promise)) return given;
          const ended = given.then(
            () => undefined,
            () => undefined,
          );
          underWay.add(ended);
          void ended.then(() => underWay.delete(ended));
          return given.then(
            (value: unknown) => (isDead ? never : value),
            (error: unknown) => (isDead ? never : Promise.reject(error as Error)),
          );
        };
      },
    });
  return {
    context: {
      ...living,
      controller: asking(living.controller),
      hns: asking(living.hns),
      agent: asking(living.agent),
      engine: asking(living.engine),
      journal: asking(living.journal),
      reached: async (step) => {
        await living.reached(step);
        if (isDead) await never;
      },
    },
    kill: async () => {
      isDead = true;
      await Promise.all(underWay);
    },
  };
}
