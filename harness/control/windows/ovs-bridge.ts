/** Ports of the bridge that Open vSwitch has on a Windows node. */
import { changedHost, upsert, type HostChange, type OvsPort, type WindowsHost } from './host.js';

export function addPort(host: WindowsHost, port: OvsPort): HostChange {
  if (host.bridge === undefined)
    return {
      kind: 'refused',
      missed: 'bridge',
      why: `there is no bridge on ${host.node} to put port ${port.name} on`,
    };
  return changedHost(host, {
    bridge: { ...host.bridge, ports: upsert(host.bridge.ports, port, ({ name }) => name) },
  });
}

/** The port of the sandbox's own endpoint: that of a later sandbox of the same pod stays. */
export function removePort(host: WindowsHost, sandbox: string): HostChange {
  const endpoint = host.endpoints.find((candidate) => candidate.sandbox === sandbox);
  if (endpoint === undefined || host.bridge === undefined) return changedHost(host);
  return changedHost(host, {
    bridge: {
      ...host.bridge,
      ports: host.bridge.ports.filter(({ kind, name }) => kind !== 'pod' || name !== endpoint.name),
    },
  });
}
