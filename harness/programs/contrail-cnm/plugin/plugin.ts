/**
 * Docker's calls (libnetwork, "Remote Drivers" and "IPAM Driver"): each has a method, a body and an
 * answer. A refusal is status 200 with `Err`, of the IPAM driver with `Error`.
 */
import { InputError } from '../../../base/errors/errors.js';
import type { Answer, Request } from '../http/json-server.js';
import type { Handlers, PluginState } from './call.js';
import { ownPrefix, type PluginContext } from './context.js';
import { ipamHandlers } from './ipam-handlers.js';
import { networkHandlers } from './network-handlers.js';
import { deleteUnboundAddresses, recoverCalls } from './recover.js';

export interface Plugin {
  answer(request: Request): Promise<Answer>;
  /** What calls have left over is undone or finished, as far as those who know of it answer. */
  recover(): Promise<void>;
}

/** They have no body: all others without one are calls that a plugin before this one has got. */
const bodiless = new Set([
  'Plugin.Activate',
  'NetworkDriver.GetCapabilities',
  'IpamDriver.GetCapabilities',
  'IpamDriver.GetDefaultAddressSpaces',
]);

export function pluginOf(context: PluginContext): Plugin {
  const state: PluginState = { inProgress: 0, compareDue: true, replayable: new Set() };
  const handlers: Handlers = {
    ...networkHandlers(context, state),
    ...ipamHandlers(context, state),
    'Plugin.Activate': async () => {
      state.compareDue = true;
      await recoverCalls(context);
      await deleteUnboundAddresses(context);
      const addresses = await context.controller.addresses();
      state.replayable = new Set(
        addresses.flatMap(({ name, uuid }) => (name.startsWith(ownPrefix(context)) ? [uuid] : [])),
      );
      return { Implements: ['NetworkDriver', 'IpamDriver'] };
    },
  };
  return {
    recover: () => recoverCalls(context),
    answer: async ({ path, body }) => {
      const method = path.slice(1);
      const handler = handlers[method];
      if (handler === undefined) return { status: 404, body: { Err: `no ${method}` } };
      try {
        if (body === undefined && !bodiless.has(method))
          throw new InputError(
            `${method} came without a body: the plugin ended while it was answering it before, ` +
              'and what that had made is gone',
          );
        return { status: 200, body: await handler(body) };
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        return { status: 200, body: { [method.startsWith('Ipam') ? 'Error' : 'Err']: why } };
      }
    },
  };
}
