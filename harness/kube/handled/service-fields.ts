/** Services and EndpointSlices. */
import { each, noted, nothing, playedBy, refused, type FieldTable } from './handling.js';
import { namespacedFields } from './metadata-fields.js';

const notOfPlugin = nothing(
  'nobody programs Services there: what is sent to the address of one is promised nothing',
);
const served = playedBy(['antrea', 'ovn-kubernetes'], notOfPlugin);
const preference = noted(
  'which of the endpoints are preferred is not asked: any of them counts as right',
);

export const serviceFields: FieldTable = {
  '': served,
  ...namespacedFields,
  ...each(
    [
      'spec.type',
      'spec.clusterIP',
      'spec.clusterIPs',
      'spec.ipFamilies',
      'spec.selector',
      'spec.ports',
      'spec.externalTrafficPolicy',
      'spec.internalTrafficPolicy',
      'spec.externalIPs',
      'spec.publishNotReadyAddresses',
      'spec.allocateLoadBalancerNodePorts',
      'spec.sessionAffinity',
      'spec.sessionAffinityConfig',
      'status.loadBalancer.ingress.ip',
    ],
    served,
  ),
  'spec.ports.appProtocol': nothing('it is a hint for proxies that read what is said'),
  'spec.loadBalancerSourceRanges': refused('ranges of a load balancer are not served here'),
  'spec.externalName': nothing('it is a name of DNS, and hosts here ask by address'),
  'spec.healthCheckNodePort': nothing('load balancers ask there, and the one here does not'),
  'spec.ipFamilyPolicy': nothing('clusterIPs has what was made of it'),
  ...each(
    ['spec.loadBalancerClass', 'spec.loadBalancerIP'],
    nothing('the address that was given is in the status'),
  ),
  'spec.trafficDistribution': preference,
  'status.loadBalancer.ingress.ipMode': refused('only VIP is served here'),
  ...each(
    ['status.loadBalancer.ingress.hostname', 'status.loadBalancer.ingress.ports'],
    nothing('they are a name of DNS, and errors'),
  ),
  'status.conditions': nothing('it is about load balancers that have problems'),
};

export const endpointSliceFields: FieldTable = {
  '': served,
  ...namespacedFields,
  ...each(
    ['addressType', 'endpoints.addresses', 'endpoints.conditions', 'endpoints.nodeName', 'ports'],
    served,
  ),
  'ports.appProtocol': nothing('it is a hint for proxies that read what is said'),
  'endpoints.hints': preference,
  'endpoints.zone': nothing('it counts where there are hints'),
  ...each(
    ['endpoints.deprecatedTopology', 'endpoints.hostname', 'endpoints.targetRef'],
    nothing('an endpoint is asked by its address'),
  ),
};
