/**
 * On Linux a container's adapter is a cable (veth): one end a port of the bridge, the other what
 * the engine moves into the container. The agent gets to know the port as the Forwarding Extension
 * would: "an event about new adapter being connected".
 */
import { Unavailable } from '../../../base/errors/errors.js';
import { portOfEndpoint } from '../../../control/contrail/hns-names.js';
import { friendlyNameOf } from '../../../control/windows/hns-subnet.js';
import { askJson } from '../http/json-client.js';
import { containerEnd } from '../plugin/join.js';
import type { BridgePorts } from './bridge-ports.js';
import type { Compartments } from './hns-service.js';

/** Runs a program to its end. @throws Unavailable with what it said where it fails. */
export type Run = (program: string, args: readonly string[]) => Promise<string>;

export interface VethSpec {
  readonly run: Run;
  readonly ports: BridgePorts;
  readonly agent: string;
}

export function vethCompartments({ run, ports, agent }: VethSpec): Compartments {
  const service = { name: 'the vRouter agent', address: agent };
  const path = (endpoint: string) => `/adapter/${encodeURIComponent(friendlyNameOf(endpoint))}`;
  return {
    connect: async ({ name: endpoint, mac }) => {
      const [port, inside] = [portOfEndpoint(endpoint), containerEnd(endpoint)];
      const peer = ['peer', 'name', inside, 'address', mac];
      await run('ip', ['link', 'add', port, 'up', 'type', 'veth', ...peer]);
      const see = async () => {
        const ofport = await ports.add(port);
        const friendlyName = friendlyNameOf(endpoint);
        const seen = await askJson(service, 'PUT', path(endpoint), { friendlyName, ofport });
        if (seen.status !== 200)
          throw new Unavailable(`the vRouter agent refuses ${port}: ${JSON.stringify(seen.body)}`);
      };
      // A veth leaves checksums to hardware, which the userspace datapath does not make up for.
      const both = [run('ethtool', ['-K', inside, 'tx', 'off']), see()];
      // Whoever undoes it where one fails may not meet the other.
      await Promise.allSettled(both);
      await Promise.all(both);
    },
    disconnect: async ({ name: endpoint }) => {
      const port = portOfEndpoint(endpoint);
      await ports.remove(port);
      await askJson(service, 'DELETE', path(endpoint));
      const links = await run('ip', ['-o', 'link', 'show']);
      if (links.includes(` ${port}@`)) await run('ip', ['link', 'del', port]);
    },
  };
}

/** No containers: the extension sees an adapter of the next number for each endpoint. */
export function modelCompartments(agent: string): Compartments {
  const service = { name: 'the vRouter agent', address: agent };
  let next = 10;
  const path = (endpoint: string) => `/adapter/${encodeURIComponent(friendlyNameOf(endpoint))}`;
  return {
    connect: async ({ name: endpoint }) => {
      const friendlyName = friendlyNameOf(endpoint);
      await askJson(service, 'PUT', path(endpoint), { friendlyName, ofport: next++ });
    },
    disconnect: async ({ name: endpoint }) => {
      await askJson(service, 'DELETE', path(endpoint));
    },
  };
}
