/** Policies of which a part is not enforced are named, in the log and as events of Kubernetes. */
import { text } from 'node:stream/consumers';
import { sha256 } from '../../base/files/digest.js';
import { Unavailable } from '../../base/errors/errors.js';
import type { RefusedPolicy } from '../../control/ovn-cni/policy-rows.js';
import type { ApiServer } from './api-server.js';

export interface Refusals {
  /** Says it once for each policy, until it is not refused any more. */
  say(refused: readonly RefusedPolicy[]): Promise<void>;
}

export function refusals(server: ApiServer, report: (line: string) => void): Refusals {
  let said: ReadonlySet<string> = new Set();
  return {
    say: async (refused) => {
      const before = said;
      said = new Set(refused.map(identityOf));
      for (const one of refused) {
        if (before.has(identityOf(one))) continue;
        report(`NetworkPolicy ${one.policy}: ${one.why}`);
        await post(server, one).catch((error: unknown) => {
          if (!(error instanceof Unavailable)) throw error;
          report(`NetworkPolicy ${one.policy}: no event: ${error.message}`);
        });
      }
    },
  };
}

function identityOf({ policy, uid = '' }: RefusedPolicy): string {
  return `${policy} ${uid}`;
}

/**
 * One event a policy, whoever watches: its name is that of the policy and of what is said.
 * @throws Unavailable
 */
async function post(server: ApiServer, refused: RefusedPolicy): Promise<void> {
  const [namespace = '', name = ''] = refused.policy.split('/');
  const { uid, why } = refused;
  const event = {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: {
      namespace,
      name: `${name}.${sha256(`${identityOf(refused)} ${why}`).slice(0, 16)}`,
    },
    involvedObject: {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      namespace,
      name,
      ...(uid === undefined ? {} : { uid }),
    },

    type: 'Warning',
    reason: 'EgressNotEnforced',
    message: why,
    source: { component: 'ovn-watcher' },
  };
  const response = await server.post(`/api/v1/namespaces/${namespace}/events`, event);
  const said = await text(response);
  // 409: it has been said before.
  if (response.statusCode !== 201 && response.statusCode !== 409)
    throw new Unavailable(`the API server answers ${response.statusCode}: ${said.slice(0, 300)}`);
}
