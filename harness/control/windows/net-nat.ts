/** NetNat, by which a Windows host hides what leaves the cluster. */
import type { NatPlan } from '../../domain/plan/nat-plan.js';
import { changedHost, type HostChange, type WindowsHost } from './host.js';

export function addNetNat(
  host: WindowsHost,
  netNat: NonNullable<WindowsHost['netNat']>,
): HostChange {
  return changedHost(host, { netNat });
}

/**
 * NetNat for the pods' subnet ("New-NetNat -InternalIPInterfaceAddressPrefix $localPodSubnet"), and
 * for other blocks, where a system has them translated as well. The address is that of the
 * interface by which the route leads. Lifetimes are those that Get-NetNat shows of a new one; of
 * its ports Microsoft says nothing: these are Windows' dynamic ones.
 */
export function netNatPlan(internalPrefix: string | undefined, others: readonly string[]): NatPlan {
  if (internalPrefix === undefined) return { destinations: [], sources: [] };
  return {
    destinations: [],
    sources: [
      {
        from: [internalPrefix, ...others],
        except: [internalPrefix],
        ports: dynamicPorts,
      },
    ],
    lifetimes: { icmpS: 30, udpS: 120, tcpTransientS: 120, tcpEstablishedS: 1800 },
  };
}

/** Microsoft, "Default dynamic port range for TCP/IP". */
const dynamicPorts = { first: 49_152, last: 65_535 } as const;
