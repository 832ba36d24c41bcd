/**
 * The four places that know of a container: Docker, HNS, the controller and the agent. Each has to
 * have exactly what is intended.
 */
import type { AddedPort } from './agent/held-ports.js';
import type { ConfigDatabase, IpamSubnet, Resource } from './controller/config-database.js';
import type { EngineNetwork } from './engine/engine.js';
import type { WindowsHost } from '../../control/windows/host.js';
import { friendlyNameOf } from '../../control/windows/hns-subnet.js';

/** A hypervisor's view of its containers; the controller has one for all of them. */
export interface HypervisorPlaces {
  readonly hypervisor: string;
  readonly docker: readonly EngineNetwork[];
  readonly hns: WindowsHost;
  readonly agent: readonly AddedPort[];
}

/** What should be there: Docker's endpoints, each with where it is and its address. */
export interface IntendedEndpoint {
  readonly hypervisor: string;
  readonly endpoint: string;
  readonly ip: string;
}

/** Everything that is missing, left over or other than intended, a line each; none at best. */
export function placeProblems(
  controller: ConfigDatabase,
  places: readonly HypervisorPlaces[],
  intended: readonly IntendedEndpoint[],
): readonly string[] {
  return [
    ...places.flatMap((place) =>
      atHypervisor(
        place,
        intended.filter(({ hypervisor }) => hypervisor === place.hypervisor),
      ),
    ),
    ...atController(controller, places, intended),
    ...twiceInNetwork(controller),
    ...places.flatMap((place) => unlikeController(place, controller)),
  ];
}

function atHypervisor(
  { hypervisor, docker, hns, agent }: HypervisorPlaces,
  intended: readonly IntendedEndpoint[],
): readonly string[] {
  const names = intended.map(({ endpoint }) => endpoint);
  const inDocker = docker.flatMap(({ endpoints }) => endpoints);
  const ports = agent.map((port) => ({ ...port, endpoint: endpointIn(port['display-name']) }));
  return [
    ...differing(
      `Docker on ${hypervisor}`,
      names,
      inDocker.map(({ id }) => id),
    ),
    ...differing(
      `HNS on ${hypervisor}`,
      names,
      hns.endpoints.map(({ sandbox }) => sandbox),
    ),
    ...differing(
      `the agent on ${hypervisor}`,
      names,
      ports.map(({ endpoint }) => endpoint),
    ),
    ...intended.flatMap(({ endpoint, ip }) => {
      const made = hns.endpoints.find(({ sandbox }) => sandbox === endpoint);
      const port = ports.find((one) => one.endpoint === endpoint);
      const subnet = hns.subnets?.find(({ id }) => id === made?.network);
      return [
        ...unlike(
          `Docker's address of ${endpoint}`,
          inDocker.find(({ id }) => id === endpoint)?.ip,
          ip,
        ),
        ...unlike(`HNS's address of ${endpoint}`, made?.ip, ip),
        ...unlike(`HNS's gateway of ${endpoint}`, made?.gateway, subnet?.gateway),
        ...unlike(`the agent's address of ${endpoint}`, port?.['ip-address'], ip),
        ...unlike(`the agent's MAC of ${endpoint}`, port?.['mac-address'], made?.mac),
        ...unlike(
          `the agent's FriendlyName of ${endpoint}`,
          port?.['system-name'],
          made === undefined ? undefined : friendlyNameOf(made.name),
        ),
      ];
    }),
    ...differing(
      `HNS networks on ${hypervisor}`,
      docker.map(({ tenant, network, cidr }) => `${tenant}:${network} ${cidr}`),
      (hns.subnets ?? []).map(({ name, subnet }) => {
        const [, tenant, network] = name.split(':');
        return `${tenant}:${network} ${subnet}`;
      }),
    ),
  ];
}

function atController(
  { resources }: ConfigDatabase,
  places: readonly HypervisorPlaces[],
  intended: readonly IntendedEndpoint[],
): readonly string[] {
  const names = intended.map(({ hypervisor, endpoint }) => `${hypervisor}--${endpoint}`);
  const of = (type: string) => resources.filter((resource) => resource.type === type);
  const interfaces = of('virtual-machine-interface');
  const bound = intended.flatMap(({ hypervisor, endpoint, ip }) => {
    const own = interfaces.find(({ fqName }) => fqName.at(-1) === `${hypervisor}--${endpoint}`);
    const address = of('instance-ip').find(({ refs }) =>
      refs.some(({ uuid }) => uuid === own?.uuid),
    );
    return unlike(
      `the controller's address of ${endpoint}`,
      address?.properties['instance_ip_address'],
      ip,
    );
  });
  const addresses = of('instance-ip').filter(({ fqName }) =>
    places.some(({ hypervisor }) => fqName[0]?.startsWith(`${hypervisor}--`)),
  );
  return [
    ...differing('virtual-machines', names, of('virtual-machine').map(lastName)),
    ...differing('virtual-machine-interfaces', names, interfaces.map(lastName)),
    ...bound,
    ...(addresses.length === intended.length
      ? []
      : [
          `${addresses.length} instance-ips at the controller for ${intended.length} endpoints: ` +
            addresses.map(({ properties }) => properties['instance_ip_address']).join(', '),
        ]),
  ];
}

/** Gateways of HNS networks, and networks of the agent's ports, are those of the controller. */
function unlikeController(
  { hypervisor, hns, agent }: HypervisorPlaces,
  { resources }: ConfigDatabase,
): readonly string[] {
  const subnets = resources.flatMap(({ properties }) => subnetsIn(properties));
  const networkOf = ({ refs }: Resource) =>
    refs.find(({ type }) => type === 'virtual-network')?.uuid;
  return [
    ...(hns.subnets ?? []).flatMap(({ name, gateway }) =>
      unlike(
        `the gateway of ${name} on ${hypervisor}`,
        gateway,
        subnets.find(({ subnet_uuid: uuid }) => name.endsWith(uuid))?.default_gateway,
      ),
    ),
    ...agent.flatMap((port) => {
      const own = resources.find(({ uuid }) => uuid === port.id);
      return own === undefined
        ? []
        : unlike(`the agent's network of ${port['display-name']}`, port['vn-id'], networkOf(own));
    }),
  ];
}

function subnetsIn({ network_ipam_refs: refs }: Resource['properties']): readonly IpamSubnet[] {
  const all = (refs ?? []) as readonly { attr: { ipam_subnets: readonly IpamSubnet[] } }[];
  return all.flatMap(({ attr }) => attr.ipam_subnets);
}

/** "no address twice" in a virtual network. */
function twiceInNetwork({ resources }: ConfigDatabase): readonly string[] {
  const keys = resources
    .filter(({ type }) => type === 'instance-ip')
    .map(({ refs, properties }) => {
      const network = refs.find(({ type }) => type === 'virtual-network')?.uuid ?? '';
      return `${String(properties['instance_ip_address'])} in ${network}`;
    });
  return keys
    .filter((key, index) => keys.indexOf(key) !== index)
    .map((key) => `address ${key} is given out twice`);
}

function lastName({ fqName }: { readonly fqName: readonly string[] }): string {
  return fqName.at(-1) ?? '';
}

function endpointIn(name: string): string {
  return name.replace(/^.*?--/, '');
}

function differing(
  where: string,
  wanted: readonly string[],
  there: readonly string[],
): readonly string[] {
  const twice = there.filter((name, index) => there.indexOf(name) !== index);
  return [
    ...wanted.filter((name) => !there.includes(name)).map((name) => `${where}: ${name} is missing`),
    ...there
      .filter((name) => !wanted.includes(name))
      .map((name) => `${where}: ${name} is left over`),
    ...twice.map((name) => `${where}: ${name} is there twice`),
  ];
}

function unlike(what: string, there: unknown, wanted: unknown): readonly string[] {
  return there === wanted ? [] : [`${what} is ${String(there)}, not ${String(wanted)}`];
}
