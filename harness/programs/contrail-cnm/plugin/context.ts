/** Whom the plugin asks, and what it knows of its place. */
import type { Agent } from '../agent/agent.js';
import type { Controller } from '../controller/controller.js';
import type { Engine } from '../engine/engine.js';
import type { Hns } from '../hns/hns.js';
import type { Journal } from './journal.js';

export interface PluginContext {
  /** Unique among the hypervisors of a controller. */
  readonly hypervisor: string;
  readonly controller: Controller;
  readonly hns: Hns;
  readonly agent: Agent;
  readonly engine: Engine;
  readonly journal: Journal;
  /** A new name each time. */
  readonly newName: () => string;
  /** A step is done: tests hold the plugin there, or kill it. */
  readonly reached: (step: PluginStep) => Promise<void>;
}

/** By the numbers of the seed's drawing, "Container creation lifecycle"; then in reverse. */
export const pluginSteps = [
  '2 call received',
  '2 metadata received',
  '3 virtual-machine created',
  '3 virtual-machine-interface created',
  '3 instance-ip bound',
  '4 details received',
  '9 endpoint received',
  '13 port added',
  'port deleted',
  'endpoint deleted',
  'instance-ip unbound',
  'virtual-machine-interface deleted',
  'virtual-machine deleted',
  'instance-ip created',
  'instance-ip deleted',
  'HNS network created',
  'HNS network deleted',
] as const;
export type PluginStep = (typeof pluginSteps)[number];

/** The name of everything that belongs to an endpoint of this hypervisor. */
export function nameOfEndpoint({ hypervisor }: PluginContext, endpointId: string): string {
  return `${hypervisor}--${endpointId}`;
}

/** What `nameOfEndpoint` and the names of addresses begin with. */
export function ownPrefix({ hypervisor }: PluginContext): string {
  return `${hypervisor}--`;
}
