/** One container of each network on each hypervisor: whatever they say crosses the overlay. */
import type { TestVector } from '../../harness/domain/test-vector.js';
import type { ContrailCluster, Overlay } from './contrail-cluster.js';
import { contrailCluster, type SketchedContainer } from './tenants.js';

/** Addresses are those of both tenants alike, and of both subnets of blue. */
export function betweenHypervisors(hypervisors: number, overlay: Overlay): ContrailCluster {
  const containers = Array.from({ length: hypervisors }, (_, index) => {
    const place = { hypervisor: `h${index + 1}`, address: 11 + index };
    return [
      { name: `blue${index + 1}`, ...place, tenant: 'blue', network: 'front' },
      { name: `side${index + 1}`, ...place, tenant: 'blue', network: 'front', subnet: 1 },
      { name: `red${index + 1}`, ...place, tenant: 'red', network: 'front' },
    ] satisfies readonly SketchedContainer[];
  }).flat();
  return contrailCluster(hypervisors, overlay, containers);
}

/** To other hypervisors: each protocol within a network, and TTLs around the gateway's. */
export function overlayVectors({ containers }: ContrailCluster): readonly TestVector[] {
  return containers.flatMap((from) =>
    containers
      .filter(({ hypervisor }) => hypervisor !== from.hypervisor)
      .flatMap((to): readonly TestVector[] => {
        const way = { from: from.name, to: to.ip };
        const names = `${from.name}/${to.name}`;
        const ping: TestVector = { id: `ping/${names}`, stimulus: { kind: 'ping', ...way } };
        if (to.tenant !== from.tenant) return [ping];
        return [
          ping,
          ...[1, 2].map(
            (ttl): TestVector => ({
              id: `ttl-${ttl}/${names}`,
              stimulus: { kind: 'ping', ...way, ttl },
            }),
          ),
          { id: `udp/${names}`, stimulus: { kind: 'udp', ...way, port: 7 } },
          {
            id: `tcp/${names}`,
            stimulus: { kind: 'tcp', ...way, port: 7, transmissions: 1 },
          },
        ];
      }),
  );
}
