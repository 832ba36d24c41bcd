/** The plugin on its socket, where Docker looks for it by its name. */
import { mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { agentAt } from '../agent/agent.js';
import { controllerAt } from '../controller/controller.js';
import { engineAt } from '../engine/engine.js';
import { hnsAt } from '../hns/hns-client.js';
import { serveJson, type JsonServer } from '../http/json-server.js';
import type { PluginContext } from './context.js';
import { openJournal } from './journal.js';
import { pluginOf } from './plugin.js';

export interface PluginSpec {
  readonly hypervisor: string;
  /** `/run/docker/plugins/contrail.sock`; on Windows a named pipe, which was never run. */
  readonly socket: string;
  readonly controller: string;
  readonly agent: string;
  readonly hns: string;
  /** Of the Docker engine's API. */
  readonly engine: string;
  readonly journal: string;
  readonly newName: PluginContext['newName'];
  readonly reached?: PluginContext['reached'];
}

/** Docker's content type, beside which it takes no other. */
const contentType = 'application/vnd.docker.plugins.v1.2+json';

/**
 * What an earlier plugin has left over is undone or finished first. Where somebody who knows of it
 * does not answer, it stays in the journal for the next call.
 * @param as what stands between it and those whom it asks.
 */
export async function servePlugin(
  spec: PluginSpec,
  as: (context: PluginContext) => PluginContext = (context) => context,
): Promise<JsonServer> {
  const context: PluginContext = {
    hypervisor: spec.hypervisor,
    controller: controllerAt(spec.controller),
    hns: hnsAt(spec.hns),
    agent: agentAt(spec.agent),
    engine: engineAt(spec.engine),
    journal: openJournal(spec.journal),
    newName: spec.newName,
    reached: spec.reached ?? (() => Promise.resolve()),
  };
  const plugin = pluginOf(as(context));
  await plugin.recover().catch(() => undefined);
  mkdirSync(dirname(spec.socket), { recursive: true });
  rmSync(spec.socket, { force: true });
  return await serveJson({ socket: spec.socket }, (request) => plugin.answer(request), contentType);
}
