/** Who is next to whom, and may not reach them. */
import type { TestVector } from '../../harness/domain/test-vector.js';
import { podsOf } from '../../harness/domain/topology.js';
import { waiting } from './container-life.js';
import type { AttachedContainer, ContrailCluster, Overlay } from './contrail-cluster.js';
import { gatewayOf } from './container-vectors.js';
import { contrailCluster, type SketchedContainer } from './tenants.js';

/** On each hypervisor one of each subnet and network, and one that waits. */
export function everybody(hypervisors: number, overlay: Overlay): ContrailCluster {
  const containers = Array.from({ length: hypervisors }, (_, index) =>
    onHypervisor(index + 1),
  ).flat();
  return contrailCluster(hypervisors, overlay, containers);
}

function onHypervisor(number: number): readonly SketchedContainer[] {
  const place = { hypervisor: `h${number}`, address: 10 + number };
  const front = { tenant: 'blue', network: 'front' };
  return [
    { name: `front${number}`, ...place, ...front },
    { name: `side${number}`, ...place, ...front, subnet: 1 },
    { name: `back${number}`, ...place, tenant: 'blue', network: 'back' },
    { name: `red${number}`, ...place, tenant: 'red', network: 'front' },
    { name: `waits${number}`, ...place, ...front, address: 20 + number, ...waiting },
  ];
}

/** Everybody to every address, by ping and by TCP; ARP for it; and what claims something wrong. */
export function isolationVectors(cluster: ContrailCluster): readonly TestVector[] {
  const there = new Set(podsOf(cluster).map(({ pod }) => pod.name));
  const senders = cluster.containers.filter(({ name }) => there.has(name));
  const addresses = [...new Set(cluster.containers.map(({ ip }) => ip))];
  return senders.flatMap((from) => [
    ...addresses
      .filter((ip) => ip !== from.ip)
      .flatMap((to): readonly TestVector[] => [
        { id: `ping/${from.name}/${to}`, stimulus: { kind: 'ping', from: from.name, to } },
        { id: `arp/${from.name}/${to}`, stimulus: { kind: 'arp', from: from.name, target: to } },
      ]),
    ...claims(cluster, from),
  ]);
}

/** A frame with somebody else's MAC, one with somebody else's address, and one that is not IP. */
function claims(
  { containers, virtualNetworks }: ContrailCluster,
  from: AttachedContainer,
): readonly TestVector[] {
  const victim = containers.find(({ name, ip }) => name !== from.name && ip !== from.ip);
  if (victim === undefined) return [];
  const gateway = '00:00:5e:00:01:00';
  const ping = (src: string) =>
    ({ kind: 'echo-request', src, dst: gatewayOf(virtualNetworks, from), ttl: 64 }) as const;
  const frame = (what: string, src: string, payload: ReturnType<typeof ping> | typeof other) => ({
    id: `${what}/${from.name}`,
    stimulus: {
      kind: 'frame',
      from: from.name,
      what,
      frame: { src, dst: gateway, payload },
    } as const,
  });
  const other = { kind: 'other', etherType: 0x88cc, hex: '0207040a00' } as const;
  return [
    frame('spoof-mac', victim.mac, ping(from.ip)),
    frame('spoof-ip', from.mac, ping(victim.ip)),
    frame('non-ip', from.mac, other),
  ];
}
