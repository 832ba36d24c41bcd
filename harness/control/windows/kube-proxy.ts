/**
 * kube-proxy on a Windows node, in its userspace mode (the Windows design, "Design" and "Service
 * Traffic"): "a specific network adapter is required, on which Service IP addresses will be
 * configured by kube-proxy". AntreaProxy has ClusterIPs in the switch, so that kube-proxy is left
 * the Services that nodes have ports for.
 */
import type { ServicePort } from '../../kube/services/service-endpoints.js';
import type { ProxyPlan } from '../../domain/plan/proxy-plan.js';
import { changedHost, upsert, type HostChange, type WindowsHost } from './host.js';

/**
 * "A specific Network adapter named "HNS Internal NIC" is provided to kube-proxy to configure
 * Service addresses." It is one of an internal Hyper-V switch.
 */
export const serviceAdapter = { name: 'HNS Internal NIC', mac: '00:15:5d:00:00:01' } as const;

/** Makes the adapter, before kube-proxy starts (Antrea's Prepare-ServiceInterface.ps1). */
export function prepareServiceAdapter(host: WindowsHost): HostChange {
  return changedHost(host, {
    adapters: upsert(host.adapters, { ...serviceAdapter, kind: 'virtual' }, ({ name }) => name),
  });
}

/**
 * kube-proxy has received these Services, and no others: their addresses are on the adapter, and it
 * listens there and at their ports of the node.
 */
export function serveServices(host: WindowsHost, services: readonly ServicePort[]): HostChange {
  if (!host.adapters.some(({ name }) => name === serviceAdapter.name))
    return {
      kind: 'refused',
      why:
        `kube-proxy of ${host.node} has no adapter "${serviceAdapter.name}" to put addresses ` +
        'of Services on',
    };
  const served = services.filter(
    ({ nodePort, protocol }) => nodePort !== undefined && protocol !== 'SCTP',
  );
  return changedHost(host, {
    serviceAddresses: [...new Set(served.map(({ clusterIp }) => clusterIp))],
    proxies: served.flatMap(proxiesOf),
  });
}

function proxiesOf({
  clusterIp,
  protocol,
  port,
  nodePort,
  endpoints,
  affinityS,
}: ServicePort): readonly ProxyPlan[] {
  if (protocol === 'SCTP' || nodePort === undefined) return [];
  const to = endpoints.map((endpoint) => ({ ip: endpoint.ip, port: endpoint.port }));
  const proxy = { to, dialMs, udpIdleMs, ...(affinityS === undefined ? {} : { affinityS }) };
  return [
    { at: { ip: clusterIp, protocol, port }, ...proxy },
    { at: { protocol, port: nodePort }, ...proxy },
  ];
}

/**
 * Kubernetes before 1.26: pkg/proxy/winuserspace/proxysocket.go, "endpointDialTimeouts";
 * KubeProxyConfiguration, `winkernel` aside, "udpIdleTimeout".
 */
const dialMs = [250, 500, 1000, 2000] as const;
const udpIdleMs = 250;
