/** Services of a cluster that nobody is asked for: what was not tried is named. */
import { servicePortsOf } from '../../kube/services/service-endpoints.js';
import type { Network } from '../../kube/objects.js';
import type { Stimulus } from '../../domain/test-vector.js';

export interface ServiceCoverage {
  /** Ports of Services, and Services that have none that can be asked for. */
  readonly count: number;
  readonly notAsked: readonly { readonly name: string; readonly why: string }[];
}

/** Undefined where the network has no Services. */
export function serviceCoverage(
  { objects, nodes }: Network,
  stimuli: readonly Stimulus[],
): ServiceCoverage | undefined {
  if (objects === undefined || objects.services.length === 0) return undefined;
  const targeted = new Set(stimuli.flatMap(destinationsOf));
  const ports = servicePortsOf(objects);
  const reachable = new Set(ports.map(({ name }) => name.replace(/:[^:]*$/, '')));
  const unreachable = objects.services
    .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)
    .filter((name) => !reachable.has(name));
  const untargeted = ports.filter(
    ({ protocol, port, nodePort, clusterIp, loadBalancerIps, externalIps }) => {
      const atPort = [clusterIp, ...loadBalancerIps, ...externalIps].map((ip) =>
        key(protocol, ip, port),
      );
      const atNodes =
        nodePort === undefined
          ? []
          : nodes.map(({ underlay }) => key(protocol, underlay.ip, nodePort));
      return ![...atPort, ...atNodes].some((one) => targeted.has(one));
    },
  );
  return {
    count: ports.length + unreachable.length,
    notAsked: [
      ...untargeted.map(({ name }) => ({ name, why: 'no vector sends to it' })),
      ...unreachable.map((name) => ({ name, why: 'it has no address of its own' })),
    ],
  };
}

function key(protocol: string, ip: string, port: number): string {
  return `${protocol} ${ip} ${port}`;
}

function destinationsOf(stimulus: Stimulus): readonly string[] {
  switch (stimulus.kind) {
    case 'tcp':
    case 'probe':
    case 'open':
      return [key('TCP', stimulus.to, stimulus.port)];
    case 'udp':
      return [key('UDP', stimulus.to, stimulus.port)];
    case 'sctp':
      return [key('SCTP', stimulus.to, stimulus.port)];
    case 'calls':
      return [key(stimulus.protocol, stimulus.to, stimulus.port)];
    case 'ping':
    case 'talk':
    case 'arp':
    case 'dhcp':
    case 'announcement':
    case 'frame':
      return [];
  }
}
