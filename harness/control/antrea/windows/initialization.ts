/**
 * What the agent does before the first pod, step by step. Each step may be repeated (an agent that
 * restarts begins with the first), and each names the one it misses where it comes too early.
 */
import { formatIpv4, parseCidr } from '../../../base/addresses/mac-and-ipv4.js';
import { assertNever } from '../../../base/errors/errors.js';
import {
  changedHost,
  upsert,
  type HostChange,
  type OvsPort,
  type WindowsHost,
} from '../../windows/host.js';
import { withRoute } from '../../windows/host-route.js';
import {
  createHnsNetwork,
  enableOvsExtension,
  renameVirtualAdapter,
} from '../../windows/hns-network.js';
import { addNetNat } from '../../windows/net-nat.js';
import { addPort } from '../../windows/ovs-bridge.js';

/** In the seed's order. */
export const steps = [
  'HNS network',
  'OVS extension',
  'rename of the virtual adapter',
  'OVS daemons',
  'bridge',
  'uplink',
  'tunnel',
  'gateway',
  'IP forwarding',
  'NetNat',
  'virtual service address',
  'service routes',
] as const;
export type Step = (typeof steps)[number];

/** What the agent knows of its node (Kubernetes' Node, its own configuration). */
export interface NodeSpec {
  /** Of the Node's status, "InternalIP": the adapter is the one that has it. */
  readonly internalIp: string;
  /** Of the Node's spec. */
  readonly podCidr: string;
  readonly serviceCidr: string;
  readonly bridge: string;
  readonly gateway: string;
  /** None where nothing is tunnelled. */
  readonly tunnel?: string;
  /** The next hop of all Services, and the one MAC address that it has. */
  readonly virtualService: { readonly ip: string; readonly mac: string };
}

/** What must be there before: the direct ones, in the order in which they are asked for. */
const needs: Readonly<Record<Step, readonly Step[]>> = {
  'HNS network': [],
  // "After the HNS Network is created, OVS extension should be enabled at once on the Hyper-V
  // Switch."
  'OVS extension': ['HNS network'],
  'rename of the virtual adapter': ['HNS network'],
  // "the ovs-vswitchd process cannot work correctly until the OVS Extension is enabled on the newly
  // created Hyper-V Switch"
  'OVS daemons': ['HNS network', 'OVS extension'],
  // "OVS can find the virtual network adapter with the name and attach it directly"
  bridge: ['HNS network', 'OVS extension', 'OVS daemons', 'rename of the virtual adapter'],
  uplink: ['bridge'],
  tunnel: ['bridge'],
  gateway: ['bridge'],
  'IP forwarding': ['gateway'],
  NetNat: ['gateway'],
  'virtual service address': ['gateway'],
  'service routes': ['virtual service address'],
};

const networkName = 'antrea-hnsnetwork';
const natName = 'antrea-nat';

/** Whether what the step makes is there. */
export function isDone(host: WindowsHost, step: Step, spec: NodeSpec): boolean {
  const has = (kind: OvsPort['kind']) =>
    host.bridge?.ports.some((port) => port.kind === kind) ?? false;
  switch (step) {
    case 'HNS network':
      return host.network !== undefined;
    case 'OVS extension':
      return host.network?.extension === 'enabled';
    case 'rename of the virtual adapter':
      return host.adapters.some(({ name, kind }) => kind === 'virtual' && name === spec.bridge);
    case 'OVS daemons':
      return host.processes === 'running';
    case 'bridge':
      return has('local');
    case 'uplink':
      return has('uplink');
    case 'tunnel':
      return spec.tunnel === undefined || has('tunnel');
    case 'gateway':
      return has('gateway') && host.routes.some(({ purpose }) => purpose.kind === 'local subnet');
    case 'IP forwarding':
      return host.forwarding.includes(spec.gateway);
    case 'NetNat':
      return host.netNat?.internalPrefix === spec.podCidr;
    case 'virtual service address':
      return host.neighbours.some(({ ip }) => ip === spec.virtualService.ip);
    case 'service routes':
      return host.routes.some(({ purpose }) => purpose.kind === 'services');
    default:
      return assertNever(step);
  }
}

/** Carries one step out. `missed` is the first step that had to come before and did not. */
export function runStep(host: WindowsHost, step: Step, spec: NodeSpec): HostChange {
  const missed = needs[step].find((needed) => !isDone(host, needed, spec));
  if (missed !== undefined)
    return {
      kind: 'refused',
      missed,
      why: `"${step}" comes after "${missed}", which was not done on ${host.node}`,
    };
  return performStep(host, step, spec);
}

/** All steps in their order. */
export function initialize(host: WindowsHost, spec: NodeSpec): HostChange {
  return steps.reduce<HostChange>(
    (change, step) => (change.kind === 'done' ? runStep(change.host, step, spec) : change),
    changedHost(host),
  );
}

/**
 * The pod of agent and daemons ends: both, whichever of them was the cause. What is on disk and in
 * Windows stays.
 */
export function afterProcessCrash(host: WindowsHost): WindowsHost {
  return { ...host, processes: host.processes === 'running' ? 'dead' : host.processes };
}

function performStep(host: WindowsHost, step: Step, spec: NodeSpec): HostChange {
  switch (step) {
    case 'HNS network':
      return host.network === undefined
        ? createHnsNetwork(host, {
            name: networkName,
            internalIp: spec.internalIp,
            subnet: spec.podCidr,
          })
        : changedHost(host);
    case 'OVS extension':
      return enableOvsExtension(host);
    case 'rename of the virtual adapter':
      return renameVirtualAdapter(host, spec.bridge);
    case 'OVS daemons':
      return changedHost(host, { processes: 'running' });
    case 'bridge':
      return changedHost(host, {
        bridge: {
          name: spec.bridge,
          ports: upsert(
            host.bridge?.ports ?? [],
            { kind: 'local', name: spec.bridge },
            ({ name }) => name,
          ),
        },
      });
    case 'uplink':
      return addPort(host, { kind: 'uplink', name: host.network?.adapter ?? '' });
    case 'tunnel':
      return spec.tunnel === undefined
        ? changedHost(host)
        : addPort(host, {
            kind: 'tunnel',
            name: spec.tunnel,
            localIp: addressOn(host, spec.bridge),
          });
    case 'gateway':
      return addGateway(host, spec);
    case 'IP forwarding':
      return changedHost(host, {
        forwarding: upsert(host.forwarding, spec.gateway, (name) => name),
      });
    case 'NetNat':
      return addNetNat(host, { name: natName, internalPrefix: spec.podCidr });
    case 'virtual service address':
      return addVirtualService(host, spec);
    case 'service routes':
      return changedHost(
        withRoute(host, {
          destination: spec.serviceCidr,
          via: spec.virtualService.ip,
          interface: spec.gateway,
          purpose: { kind: 'services' },
        }),
      );
    default:
      return assertNever(step);
  }
}

/**
 * "the address of the interface should be the first IP in the subnet"; with it comes the route to
 * the subnet.
 */
function addGateway(host: WindowsHost, { gateway, podCidr }: NodeSpec): HostChange {
  const added = addPort(host, { kind: 'gateway', name: gateway });
  if (added.kind === 'refused') return added;
  return changedHost(
    withRoute(added.host, {
      destination: podCidr,
      via: 'on-link',
      interface: gateway,
      purpose: { kind: 'local subnet' },
    }),
  );
}

/**
 * "then only one neighbor cache entry needs to be added, which resolves the virtual IP to a virtual
 * MAC"
 */
function addVirtualService(host: WindowsHost, { virtualService, gateway }: NodeSpec): HostChange {
  const routed = withRoute(host, {
    destination: `${virtualService.ip}/32`,
    via: 'on-link',
    interface: gateway,
    purpose: { kind: 'virtual service address' },
  });
  return changedHost(routed, {
    neighbours: upsert(host.neighbours, { interface: gateway, ...virtualService }, ({ ip }) => ip),
  });
}

export function gatewayAddress(podCidr: string): string {
  return formatIpv4(parseCidr(podCidr).number + 1);
}

function addressOn(host: WindowsHost, name: string): string {
  return host.adapters.find((adapter) => adapter.name === name)?.address?.ip ?? '';
}
