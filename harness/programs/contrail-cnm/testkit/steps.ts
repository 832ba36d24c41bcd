/** The steps behind which tests end the plugin. */
import type { AgentStep } from '../agent/port-api.js';
import type { HnsStep } from '../hns/hns-service.js';
import { pluginSteps, type PluginStep } from '../plugin/context.js';

export type AnyStep = PluginStep | HnsStep | AgentStep;

/** By the seed's numbers; those of HNS and the agent come while the plugin waits for them. */
export const creatingSteps: readonly AnyStep[] = [
  'instance-ip created',
  '2 call received',
  '2 metadata received',
  '3 virtual-machine created',
  '3 virtual-machine-interface created',
  '3 instance-ip bound',
  '4 details received',
  'endpoint asked',
  'compartment made',
  'adapter seen',
  '9 endpoint received',
  'port asked',
  'controller knows',
  'flows are there',
  '13 port added',
];

export const removingSteps: readonly PluginStep[] = [
  'port deleted',
  'endpoint deleted',
  'instance-ip unbound',
  'virtual-machine-interface deleted',
  'virtual-machine deleted',
  'instance-ip deleted',
];

export function isPluginStep(step: AnyStep): step is PluginStep {
  return pluginSteps.some((known) => known === step);
}

/** The last step of HNS or of the agent, whose step that is. */
export function lastOf(step: AnyStep): AnyStep {
  const ofHns: readonly AnyStep[] = ['endpoint asked', 'compartment made', 'adapter seen'];
  return ofHns.includes(step) ? 'adapter seen' : 'flows are there';
}
