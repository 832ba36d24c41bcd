/** What ADD answers, in the words of each version (CNI specification, "Result"). */
import { isBefore, versions, type Version } from './versions.js';

/** An attachment as it is. */
export interface Attached {
  /** Address and length of the subnet's prefix, `10.10.1.2/24`. */
  readonly address: string;
  readonly gateway: string;
  readonly mac: string;
  readonly ifname: string;
  readonly netns: string;
  readonly hostInterface: string;
  readonly mtu: number | undefined;
}

export function resultOf(attached: Attached, cniVersion: Version): object {
  const { address, gateway, mac, ifname, netns, hostInterface, mtu } = attached;
  const routes = [{ dst: '0.0.0.0/0', gw: gateway }];
  if (isBefore(cniVersion, '0.3.0'))
    return { cniVersion, ip4: { ip: address, gateway, routes }, dns: {} };
  const ofVersion = isBefore(cniVersion, '1.0.0') ? { version: '4' } : {};
  const withMtu = isBefore(cniVersion, '1.1.0') || mtu === undefined ? {} : { mtu };
  return {
    cniVersion,
    interfaces: [
      { name: hostInterface, ...withMtu },
      { name: ifname, mac, ...withMtu, sandbox: netns },
    ],
    ips: [{ ...ofVersion, address, gateway, interface: 1 }],
    routes,
    dns: {},
  };
}

export function versionResult(cniVersion: string): object {
  return { cniVersion, supportedVersions: versions };
}

export function errorResult(
  cniVersion: string,
  { code, message, details }: { readonly code: number; readonly message: string; details: string },
): object {
  return { cniVersion, code, msg: message, ...(details === '' ? {} : { details }) };
}
