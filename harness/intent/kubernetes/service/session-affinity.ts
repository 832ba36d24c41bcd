/**
 * L0 on Services over time: their endpoints by now, which has answered, and which a client keeps.
 */
import { cidrContains, ipv4Number, parseCidr } from '../../../base/addresses/mac-and-ipv4.js';
import type { Cluster, Network } from '../../../kube/objects.js';
import type { Service } from '../../../kube/schemas/services.js';
import type { Intent } from '../../../domain/intent.js';
import type { HostNote } from '../../../domain/observation.js';
import type { Stimulus } from '../../../domain/test-vector.js';
import { hostWithAddress } from '../cluster-hosts.js';
import { backends, serviceAt, type Backend, type PortOfService } from './backends.js';
import { protocolOf } from './service-reach.js';

/** A port of a Service, as it is asked for. */
export interface ServiceAddress {
  readonly ip: string;
  readonly port: number;
  readonly protocol: 'TCP' | 'UDP' | 'SCTP';
}

/** Undefined for what is not sent to a port of a Service's address. */
export function serviceAddressOf(
  { serviceCidr }: Network,
  stimulus: Stimulus,
): ServiceAddress | undefined {
  if (
    !('port' in stimulus) ||
    !('to' in stimulus) ||
    !cidrContains(parseCidr(serviceCidr), ipv4Number(stimulus.to))
  )
    return undefined;
  return { ip: stimulus.to, port: stimulus.port, protocol: protocolOf(stimulus) };
}

/** Who is ready behind it; nobody where there is no such port. */
export function readyBackends({ objects }: Network, asked: ServiceAddress): readonly Backend[] {
  const found = objects === undefined ? undefined : portAt(objects, asked);
  return objects === undefined || found === undefined
    ? []
    : backends(objects, found.service, found.port);
}

function portAt(
  objects: Cluster['objects'],
  { ip, port, protocol }: ServiceAddress,
): { readonly service: Service; readonly port: PortOfService } | undefined {
  const service = serviceAt(objects, ip);
  const found = service?.spec.ports.find(
    (candidate) => candidate.port === port && candidate.protocol === protocol,
  );
  return service === undefined || found === undefined ? undefined : { service, port: found };
}

/**
 * The host that answered last: where a connection stands, or a datagram came, that was meant for
 * the Service.
 */
export function answererAmong(
  notes: readonly HostNote[],
  asked: ServiceAddress,
): string | undefined {
  const arrived = (note: HostNote) =>
    asked.protocol === 'UDP'
      ? note.kind === 'received' && note.src !== asked.ip
      : note.kind === 'connected' && note.as === 'answerer';
  return notes.findLast(arrived)?.host;
}

/** What a client has got of a Service that lets clients keep their endpoint, by `affinityKey`. */
export type Affinity = ReadonlyMap<string, AffinityEntry>;

interface AffinityEntry {
  readonly client: string;
  /** The client's node. */
  readonly node: string;
  readonly address: ServiceAddress;
  readonly to: string;
}

/** Timelines last for minutes of virtual time; of what may end within them nothing is said. */
const longEnoughS = 3600;

export function affinityAfter(
  affinity: Affinity,
  heard: Network,
  client: Pick<AffinityEntry, 'client' | 'node'>,
  asked: ServiceAddress,
  to: string | undefined,
): Affinity {
  if (to === undefined || !hasSessionAffinity(heard, asked)) return affinity;
  return new Map([
    ...affinity,
    [affinityKey(client.client, asked), { ...client, address: asked, to }],
  ]);
}

/**
 * Whether a client that has asked by another address of the Service, where others may have
 * answered, still keeps whom it had by this one, nobody says.
 */
export function withoutAffinity(
  affinity: Affinity,
  client: string,
  asked: ServiceAddress,
): Affinity {
  return new Map([...affinity].filter(([key]) => key !== affinityKey(client, asked)));
}

function hasSessionAffinity({ objects }: Network, asked: ServiceAddress): boolean {
  const spec = objects === undefined ? undefined : portAt(objects, asked)?.service.spec;
  return (
    spec?.sessionAffinity === 'ClientIP' &&
    (spec.sessionAffinityConfig?.clientIP?.timeoutSeconds ?? 10_800) >= longEnoughS
  );
}

/**
 * Of those only whose endpoint is still there for them: once it was gone, nobody says that it is
 * kept when it comes back.
 */
export function liveAffinity(
  affinity: Affinity,
  heardBy: (node: string) => Network | undefined,
): Affinity {
  return new Map(
    [...affinity].filter(([, { node, address, to }]) => {
      const heard = heardBy(node);
      return (
        heard !== undefined &&
        hasSessionAffinity(heard, address) &&
        readyBackends(heard, address).some(({ ip }) => nameAt(heard, ip) === to)
      );
    }),
  );
}

/** ServiceSpec, `sessionAffinity`: the endpoint that the client had before, and no other. */
export function withAffinity(
  affinity: Affinity,
  client: string,
  asked: ServiceAddress,
  intent: Intent,
): Intent {
  const kept = affinity.get(affinityKey(client, asked));
  if (kept === undefined || intent.kind !== 'balanced') return intent;
  const answerers = intent.answerers.filter(({ to }) => to === kept.to);
  return answerers.length === 0
    ? {
        kind: 'denied',
        why: `${client} keeps ${kept.to}: ${intent.lost ?? 'it cannot be reached'}`,
      }
    : { ...intent, answerers, why: `${intent.why}, of which ${client} keeps ${kept.to}` };
}

function affinityKey(client: string, { ip, port, protocol }: ServiceAddress): string {
  return `${client} ${protocol} ${ip}:${port}`;
}

function nameAt(network: Network, ip: string): string | undefined {
  return (
    hostWithAddress(network, ip)?.name ??
    network.externalHosts?.find((host) => host.ip === ip)?.name
  );
}
