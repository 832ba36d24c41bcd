/**
 * Hypervisors with containers of tenants. Tenants blue and red have a network of the same name with
 * the same addresses in it: nothing but the network that a container is on separates them.
 */
import { assert } from '../../harness/base/errors/errors.js';
import { addressIn, macOf } from '../addresses.js';
import { equalNodes } from '../equal-nodes.js';
import type { EngineCall } from './engine-calls.js';
import {
  called,
  withContainers,
  type AttachedContainer,
  type ContrailCluster,
  type Overlay,
  type VirtualNetwork,
} from './contrail-cluster.js';

/** A container of which its place is enough. */
export interface SketchedContainer {
  readonly name: string;
  readonly hypervisor: string;
  readonly tenant: string;
  readonly network: string;
  /** Which of the network's subnets, counted from 0: the first where it is missing. */
  readonly subnet?: number;
  /** The number of its address in the subnet, from 2 on: the gateway has the first. */
  readonly address: number;
  readonly adapter?: AttachedContainer['adapter'];
  readonly port?: AttachedContainer['port'];
}

/** `front` has two subnets; `back` is another network of the same tenant. */
export const usualNetworks: readonly VirtualNetwork[] = [
  network('blue', 'front', 101, ['10.1.1.0', '10.1.2.0']),
  network('blue', 'back', 102, ['10.1.3.0']),
  network('red', 'front', 201, ['10.1.1.0']),
];

function network(
  tenant: string,
  name: string,
  label: number,
  subnets: readonly string[],
): VirtualNetwork {
  return {
    tenant,
    name,
    label,
    subnets: subnets.map((first, index) => ({
      id: uuid(label, index + 1),
      cidr: `${first}/24`,
      gateway: addressIn(first, 1),
    })),
  };
}

/** `0000wwww-…`: distinct numbers have distinct first parts. */
function uuid(number: number, of: number): string {
  const hex = (value: number, width: number) => value.toString(16).padStart(width, '0');
  return `${hex(number, 4)}${hex(of, 4)}-0000-4000-8000-${hex(number, 12)}`;
}

/** Hypervisors h1, h2, … that run Windows; ports are added where nothing else is said. */
export function contrailCluster(
  hypervisors: number,
  overlay: Overlay,
  containers: readonly SketchedContainer[],
): ContrailCluster {
  const { nodes, ...cluster } = equalNodes({
    name: `contrail-${hypervisors}`,
    nodes: hypervisors,
    podsPerNode: 0,
  });
  const bare: ContrailCluster = {
    ...cluster,
    nodes: nodes.map((node, index) => ({ ...node, name: `h${index + 1}`, os: 'windows' })),
    overlay,
    virtualNetworks: usualNetworks,
    containers: [],
    calls: [],
    called: 0,
  };
  const all = containers.map(attached);
  return called(withContainers(bare, all), all.flatMap(callsFor));
}

/** What makes it so; nothing where it is not there. */
function callsFor({ name, adapter, port }: AttachedContainer): readonly EngineCall[] {
  const run = { kind: 'run', container: name } as const;
  if (adapter === 'absent') return port === 'added' ? [{ ...run, adapter: 'late' }] : [];
  return [port === 'added' ? run : { ...run, holdsAfter: 9 }];
}

function attached({
  subnet = 0,
  address,
  adapter = 'connected',
  port = 'added',
  ...place
}: SketchedContainer): AttachedContainer {
  const found = usualNetworks.find(
    ({ tenant, name }) => tenant === place.tenant && name === place.network,
  );
  const chosen = found?.subnets[subnet];
  assert(found !== undefined && chosen !== undefined, `there is such a network: ${place.network}`);
  const ip = addressIn(chosen.cidr.replace(/\/.*/, ''), address);
  // Contrail's MACs begin with 02; addresses are the same in several networks, MACs are not.
  const mac = macOf(ip).replace(/^0a:00/, `02:${found.label.toString(16).padStart(2, '0')}`);
  return { ...place, subnet: chosen.id, ip, mac, adapter, port };
}
