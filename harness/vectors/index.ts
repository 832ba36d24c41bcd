/**
 * Vectors that scenarios are made of: each function takes a topology and gives the vectors of one
 * subject, in a stable order, with ids made of the hosts' names.
 */
export { arpNeighbours, arpPeerGateways } from './arp.js';
export {
  closedPorts,
  gatewayTcp,
  interjections,
  livenessProbes,
  podToPodTcp,
  unconnectedTcp,
} from './connections.js';
export { nodeToPod, podToGateway, podToPod, ttlAcrossNodes } from './connectivity.js';
export {
  hostToHost,
  nodeEgress,
  nodeToExternal,
  nodeToGoneNode,
  podToExternal,
  podToExternalLater,
} from './external.js';
export {
  externalMatrix,
  gatewayMatrix,
  hostMatrix,
  nodeMatrix,
  podMatrix,
  policyEvasions,
} from './policies.js';
export { notForwarded, spoofedArp, spoofedIp, unknownDestinations } from './forbidden.js';
export {
  externalCalls,
  externalAccess,
  noService,
  serviceCalls,
  serviceMatrix,
} from './services.js';
export { coldPassOnly, batched, batchedIfMany } from './batched.js';
export { nodePorts, serviceWalkthroughs } from './windows-services.js';
