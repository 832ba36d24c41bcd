import type { Intent } from '../../domain/intent.js';
import type { Stimulus } from '../../domain/test-vector.js';
import type { Network } from '../../kube/objects.js';
import { intentOf } from '../intent.js';
import { antreaPromises } from './promises.js';

/** L0 where Antrea programs the network. @throws as `intentOf`. */
export function antreaIntent(network: Network, stimulus: Stimulus): Intent {
  return intentOf(network, stimulus, antreaPromises);
}
