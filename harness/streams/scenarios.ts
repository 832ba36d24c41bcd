/** The streams that there are. */
import { InputError, unknownName } from '../base/errors/errors.js';
import { antrea } from '../control/antrea/index.js';
import type { LinkProperties } from '../domain/link.js';
import { antreaCluster } from '../../topologies/antrea/antrea-cluster.js';
import { services, type ServiceScenario } from './services/service-scenario.js';
import type { StreamPoint, StreamScenario } from './stream-scenario.js';

/**
 * What a tunnel takes of the 1500 bytes of a packet between nodes. Antrea counts 38 for GRE, but
 * Open vSwitch sends a key where a tunnel leaves it to flows (`key=flow`): four bytes more.
 */
const taken = { geneve: 50, vxlan: 50, gre: 42, none: 0 } as const;
type Tunnel = keyof typeof taken;

const protocol = { values: ['tcp', 'udp'], default: ['tcp', 'udp'] } as const;
const tunnel = {
  values: ['geneve', 'vxlan', 'gre', 'none'],
  default: ['geneve', 'vxlan', 'gre', 'none'],
} as const;
const mtu = { values: ['usual', '1280', '576'], default: ['usual'] } as const;

export const throughput: StreamScenario = {
  name: 'antrea/throughput',
  title: 'Goodput between pods on two nodes, from headers and the rate of the link',
  axes: { protocol, tunnel, mtu },
  pointOf: (axes) =>
    streamPoint(axes, { rateMbit: 100, delayMs: 1 }, { rateMbit: 100, delayMs: 1 }, 3_000_000),
};

const lossy: StreamScenario = {
  name: 'antrea/lossy',
  title: 'TCP between pods through a link that loses: every segment that is sent again, and why',
  axes: {
    tunnel: { values: tunnel.values, default: ['geneve'] },
    loss: { values: ['0.5', '2', '5'], default: ['2'] },
    jitter: { values: ['0', '0.5'], default: ['0', '0.5'] },
  },
  pointOf: ({ loss, jitter, ...axes }) =>
    streamPoint(
      { ...axes, protocol: 'tcp', mtu: 'usual' },
      {
        rateMbit: 100,
        delayMs: 1,
        lossPercent: Number(loss),
        ...(jitter === '0' ? {} : { jitterMs: Number(jitter) }),
      },
      { rateMbit: 100, delayMs: 1 },
      3_000_000,
    ),
};

export const streamScenarios: readonly (StreamScenario | ServiceScenario)[] = [
  throughput,
  lossy,
  services,
];

/** @throws InputError for an unknown one. */
export function streamScenarioNamed(name: string): StreamScenario | ServiceScenario {
  const found = streamScenarios.find((one) => one.name === name);
  if (found === undefined)
    throw unknownName(
      'stream',
      name,
      streamScenarios.map((one) => one.name),
    );
  return found;
}

function streamPoint(
  axes: Readonly<Record<string, string>>,
  link: StreamPoint['link'],
  back: LinkProperties,
  bytes: number,
): StreamPoint {
  const used = tunnelOf(axes['tunnel']);
  const cluster = antreaCluster({
    nodes: 2,
    podsPerNode: 1,
    tunnel: used === 'none' ? 'geneve' : used,
  });
  const topology = { ...cluster, mode: used === 'none' ? 'noEncap' : 'encap' } as const;
  const [near, far] = topology.nodes;
  const [sender, receiver] = [near?.pods[0], far?.pods[0]];
  if (near === undefined || sender === undefined || receiver === undefined)
    throw new InputError('a stream needs two nodes with a pod each');
  const usual = 1500 - taken[used];
  return {
    plan: antrea(used === 'none' ? '1.3' : '0.8').plan(topology),
    protocol: axes['protocol'] === 'udp' ? 'udp' : 'tcp',
    sender: { pod: sender.name, ip: sender.ip, node: near.name },
    receiver: { pod: receiver.name, ip: receiver.ip },
    bytes,
    podMtu: axes['mtu'] === 'usual' ? usual : Number(axes['mtu']),
    link,
    back,
  };
}

function tunnelOf(name: string | undefined): Tunnel {
  switch (name) {
    case 'vxlan':
    case 'gre':
    case 'none':
      return name;
    default:
      return 'geneve';
  }
}
