/**
 * What OVN's own answers promise, from the objects: who sends to a port that ACLs reject gets an
 * error, and so does who sends what a router may not forward any more (ovn-nb(5), ACL, "action";
 * RFC 1812, section 5.3.1).
 */
import type { Intent } from '../../domain/intent.js';
import type { ControlPlanePromises } from '../../domain/promises.js';
import type { Stimulus } from '../../domain/test-vector.js';
import type { OvnTopology } from '../../../topologies/ovn/ovn-topology.js';
import { intentOf } from '../intent.js';

export function ovnAnswersIntent(
  topology: OvnTopology,
  stimulus: Stimulus,
  promises: ControlPlanePromises,
): Intent {
  const { answers } = topology;
  const port = 'port' in stimulus ? stimulus.port : undefined;
  if (answers !== undefined && port === answers.rejectedPort)
    return {
      kind: 'rejected',
      ...(stimulus.kind === 'udp' ? {} : { by: 'a reset' }),
      why: `port ${port} is rejected`,
    };
  return intentOf(topology, stimulus, promises);
}
