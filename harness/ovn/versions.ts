/** Versions of OVN's programs, as those that run report them. */
import type { Daemon } from '../ovs/process/daemon.js';

export function versionsOf(
  zones: readonly {
    readonly zone: { readonly northd: Daemon };
    readonly chassis: readonly { readonly controller: Daemon }[];
  }[],
): Readonly<Record<string, string>> {
  const [first] = zones;
  const controller = first?.chassis[0]?.controller;
  return first === undefined
    ? {}
    : {
        'ovn-northd': first.zone.northd.version,
        ...(controller === undefined ? {} : { 'ovn-controller': controller.version }),
      };
}
