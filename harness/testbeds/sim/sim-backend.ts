import { isolation } from '../../ovs/process/isolation.js';
import type { Backend } from '../backend.js';
import { programOnPath, type MachineFinding } from '../machine-finding.js';
import { openSim } from './sim.js';

export const sim: Backend = {
  name: 'sim',
  summary: 'ovs-vswitchd and ovsdb-server as unprivileged processes, in virtual time',
  doctor: async () => [
    { kind: 'fine', text: `backend ${sim.name}: ${sim.summary}` },
    await programOnPath(
      'setpriv',
      'missing',
      'lets daemons die with flowbed',
      'apt-get install util-linux',
    ),
    await isolationFinding(),
  ],
  open: openSim,
};

/**
 * Without it a run can work, and ends inconclusive where links, addresses or routes of the host
 * change at the wrong moment.
 */
async function isolationFinding(): Promise<MachineFinding> {
  const found = await isolation();
  if (found.network === 'own')
    return { kind: 'fine', text: `switches are isolated from the host's network, by ${found.how}` };
  return {
    kind: 'optional',
    text: `switches share the host's network: ${found.why}`,
    remedy:
      'links, addresses and routes that come or go during a run can cost it its verdict (exit ' +
      'code 3); how to allow namespaces: docs/reliability.md',
  };
}
