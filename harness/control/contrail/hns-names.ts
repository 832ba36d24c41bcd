/** Names by which the plugin, HNS and the agent speak of the same thing. */

/**
 * The network that makes the Hyper-V switch and stays: HNS removes the switch along with the
 * network that it was made for (Juniper/contrail-windows-docker-driver, "ContrailRootNetwork").
 */
export const rootNetwork = 'ContrailRootNetwork';

/**
 * "a concatenation of "Contrail" with tenant name, network name and subnet ID": with colons, which
 * no Contrail name contains, so that no two of them have one name.
 */
export function hnsNetworkName(tenant: string, network: string, subnet: string): string {
  return ['Contrail', tenant, network, subnet].join(':');
}

/** What is in such a name; undefined for a network that is not the plugin's. */
export function readHnsNetworkName(
  name: string,
): { readonly tenant: string; readonly network: string; readonly subnet: string } | undefined {
  const [prefix, tenant, network, subnet, ...others] = name.split(':');
  return prefix !== 'Contrail' ||
    tenant === undefined ||
    network === undefined ||
    subnet === undefined ||
    others.length > 0
    ? undefined
    : { tenant, network, subnet };
}

/** The port of the bridge behind an adapter: a name that Linux takes for an interface as well. */
export function portOfEndpoint(endpoint: string): string {
  return `nic-${endpoint.split('-')[0] ?? endpoint}`;
}
