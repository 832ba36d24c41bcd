/** A Docker network as the engine's API has it. */
export interface NetworkOptions {
  readonly tenant: string;
  readonly network: string;
  readonly cidr: string;
  readonly gateway?: string;
  /** Of whose IPAM driver its pool is; the plugin's where it is missing. */
  readonly addressSpace?: string;
  /** As `--ipam-opt` has them; as `tenant` and `network` where it is missing. */
  readonly ipamOptions?: Readonly<Record<string, string>>;
}

export interface PlayedEndpoint {
  readonly id: string;
  readonly networkId: string;
  readonly ip: string;
  readonly mac: string;
  readonly gateway: string;
}

export interface HeldNetwork extends NetworkOptions {
  readonly id: string;
  readonly poolId: string;
  readonly gatewayIp: string;
}

/** As `GET /networks/ID` has it. */
export function bodyOf(
  { id, tenant, network, cidr }: HeldNetwork,
  endpoints: readonly PlayedEndpoint[],
): { readonly Id: string } & Readonly<Record<string, unknown>> {
  return {
    Id: id,
    Name: `docker-${id.slice(0, 6)}`,
    Driver: 'contrail',
    Options: { tenant, network },
    IPAM: { Config: [{ Subnet: cidr }] },
    Containers: Object.fromEntries(
      endpoints
        .filter(({ networkId }) => networkId === id)
        .map((one) => [
          `container-${one.id}`,
          { EndpointID: one.id, IPv4Address: withLength(one.ip, cidr) },
        ]),
    ),
  };
}

export function bare(address: string): string {
  return address.replace(/\/.*/, '');
}

export function withLength(ip: string, cidr: string): string {
  return `${ip}/${cidr.split('/')[1]}`;
}
