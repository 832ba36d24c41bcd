/** The Host Networking Service as the plugin asks it, wherever it runs. */

export interface HnsNetwork {
  readonly id: string;
  readonly name: string;
  readonly subnet: string;
  readonly gateway: string;
}

export interface HnsEndpoint {
  readonly id: string;
  /** The plugin gives it that of Docker's endpoint. */
  readonly name: string;
  readonly network: string;
  readonly ip: string;
  readonly mac: string;
  readonly gateway: string;
}

export interface Hns {
  networks(): Promise<readonly HnsNetwork[]>;
  /** @throws InputError where a network of that name is there, or the gateway is not in it. */
  createNetwork(network: Omit<HnsNetwork, 'id'>): Promise<HnsNetwork>;
  /** Nothing where it is not there. @throws InputError while it has endpoints. */
  deleteNetwork(id: string): Promise<void>;
  endpoints(): Promise<readonly HnsEndpoint[]>;
  createEndpoint(endpoint: Omit<HnsEndpoint, 'id'>): Promise<HnsEndpoint>;
  /** Nothing where it is not there. */
  deleteEndpoint(id: string): Promise<void>;
}
