/**
 * CNIAdd and CNIDel of the agent as steps, between any two of which it may die (the seed,
 * "Container network configuration"). Kubelet asks again and again, for the sandbox and for every
 * workload, in whatever order; whatever was there already is left as it is.
 */
import {
  changedHost,
  type HostChange,
  type DnsSettings,
  type WindowsHost,
} from '../../windows/host.js';
import {
  attachEndpoint,
  createEndpoint,
  deleteEndpoint,
  detachEndpoint,
  type EndpointSpec,
} from '../../windows/hns-endpoint.js';
import { addPort, removePort } from '../../windows/ovs-bridge.js';
import { release, reserve } from '../../windows/ipam.js';

export interface CniRequest {
  readonly command: 'ADD' | 'DEL';
  readonly container: string;
  /** `none` for the sandbox itself, `container:SANDBOX` for a workload in it. */
  readonly netns: string;
  readonly pod: EndpointSpec;
}

/** "Antrea needs to identify the container type (sandbox or workload) from the CNIAdd request" */
export function sandboxOf({ container, netns }: Pick<CniRequest, 'container' | 'netns'>): {
  readonly type: 'sandbox' | 'workload';
  readonly sandbox: string;
} {
  const [, sandbox] = /^container:(.+)$/.exec(netns) ?? [];
  return sandbox === undefined
    ? { type: 'sandbox', sandbox: container }
    : { type: 'workload', sandbox };
}

/** One thing that is done whole or not at all. */
export interface CniStep {
  readonly name: string;
  readonly on: (host: WindowsHost) => HostChange;
}

/**
 * The steps of a request, in order. The address is reserved first and released last, so that nobody
 * gets it as long as anything of the pod is left: an agent that dies between two steps leaves at
 * most an address that nobody uses yet or any more, and the next request for the sandbox finishes
 * the work.
 */
export function stepsOf(request: CniRequest): readonly CniStep[] {
  const { command, container, pod } = request;
  const { type, sandbox } = sandboxOf(request);
  const attach: CniStep = {
    name: `attach ${pod.endpoint} to ${container}`,
    on: (host) => attachEndpoint(host, sandbox, container),
  };
  if (command === 'ADD' && type === 'workload') return [attach];
  if (command === 'DEL' && type === 'workload')
    return [
      {
        name: `detach ${pod.endpoint} from ${container}`,
        on: (host) => detachEndpoint(host, sandbox, container),
      },
    ];
  if (command === 'ADD') {
    return [
      { name: `reserve an address for ${sandbox}`, on: (host) => reserve(host, sandbox, pod.ip) },
      { name: `create endpoint ${pod.endpoint}`, on: (host) => createEndpoint(host, sandbox, pod) },
      attach,
      {
        name: `add port ${pod.endpoint}`,
        on: (host) => addPort(host, { kind: 'pod', name: pod.endpoint }),
      },
    ];
  }
  return [
    { name: `remove port ${pod.endpoint}`, on: (host) => removePort(host, sandbox) },
    {
      name: `delete endpoint ${pod.endpoint}`,
      on: (host) => deleteEndpoint(host, sandbox),
    },
    { name: `release the address of ${sandbox}`, on: (host) => release(host, sandbox) },
  ];
}

/**
 * The whole request, if nothing comes between. The named pipe of the CNI server has nobody behind
 * it while the agent is not there.
 */
export function handle(host: WindowsHost, request: CniRequest): HostChange {
  return stepsOf(request).reduce<HostChange>(
    (change, step) => (change.kind === 'done' ? onLiveAgent(change.host, step) : change),
    changedHost(host),
  );
}

export function onLiveAgent(host: WindowsHost, step: CniStep): HostChange {
  return host.processes === 'running'
    ? step.on(host)
    : {
        kind: 'refused',
        missed: 'OVS daemons',
        why: `nobody answers on ${host.node}: the agent is ${host.processes}`,
      };
}

/**
 * The DNS settings that a container reads: those of the endpoint that it is attached to; undefined
 * where it is attached to none.
 */
export function dnsOf({ endpoints }: WindowsHost, container: string): DnsSettings | undefined {
  return endpoints.find(({ containers }) => containers.includes(container))?.dns;
}

/**
 * What an agent that comes back does: everything of sandboxes that are no more goes. The seed says
 * nothing of it; without it a request that was overtaken by the one that takes the pod down would
 * leave an endpoint that nobody ever asks for again.
 */
export function reconcile(host: WindowsHost, sandboxes: ReadonlySet<string>): HostChange {
  const endpoints = host.endpoints.filter(({ sandbox }) => sandboxes.has(sandbox));
  const names = new Set(endpoints.map(({ name }) => name));
  const bridge =
    host.bridge === undefined
      ? undefined
      : {
          ...host.bridge,
          ports: host.bridge.ports.filter(({ kind, name }) => kind !== 'pod' || names.has(name)),
        };
  return changedHost(host, {
    endpoints,
    leases: host.leases.filter(({ sandbox }) => sandboxes.has(sandbox)),
    ...(bridge === undefined ? {} : { bridge }),
  });
}
