/** The plugin of one hypervisor, which ends and starts within this process. */
import type { PluginSpec } from '../plugin/serve-plugin.js';
import { servePlugin } from '../plugin/serve-plugin.js';
import type { JsonServer } from '../http/json-server.js';
import { mortal, type Mortal } from './mortal.js';

export interface PluginLife {
  start(): Promise<void>;
  /** As by SIGKILL. @param then what it does when the engine finds nobody there. */
  kill(then: 'is started again' | 'stays away'): Promise<void>;
  /** The engine has found nobody there. */
  revive(): Promise<void>;
}

export function pluginLife(spec: PluginSpec): PluginLife {
  let plugin: { readonly server: JsonServer; readonly life: Mortal | undefined } | undefined;
  let isStartedAgain = true;
  const start = async (): Promise<void> => {
    const lives: Mortal[] = [];
    const server = await servePlugin(spec, (context) => {
      const life = mortal(context);
      lives.push(life);
      return life.context;
    });
    plugin = { server, life: lives[0] };
  };
  return {
    start,
    kill: async (then) => {
      isStartedAgain = then === 'is started again';
      const ended = plugin;
      plugin = undefined;
      await ended?.life?.kill();
      await ended?.server.close();
    },
    revive: async () => {
      if (isStartedAgain) await start();
    },
  };
}
