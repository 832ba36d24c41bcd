/** Reference nodes whose stacks route between their pods, as nodes without tunnels do. */
import type { NodePlan } from '../domain/plan/cluster-plan.js';
import type { HostPlan } from '../domain/plan/host-plan.js';
import { mac, podAt, through } from './reference-bridges.js';

const networkOf = (node: number) => `192.168.${120 + node}`;
export const routedPodIp = (node: number): string => `${networkOf(node)}.2`;
/** Each has a pod, `routed-1` and `routed-2`, in a network of its own. */
export const routedAcross: readonly NodePlan[] = [nodeOf(1, 2), nodeOf(2, 1)];

function nodeOf(number: number, other: number): NodePlan {
  const pod = { ip: routedPodIp(number), mac: mac(number, 51) };
  const gateway = { ip: `${networkOf(number)}.1`, mac: mac(number, 52) };
  const underlay = (node: number) => ({ ip: `172.31.1.${node}`, mac: mac(node, 53) });
  const name = `routed-across-${number}`;
  return {
    node: name,
    bridges: [
      {
        name: 'br-pods',
        mac: mac(number, 54),
        ports: [
          { kind: 'endpoint', name: 'pod', ofport: 1 },
          { kind: 'internal', name: 'gw', ofport: 2, mac: gateway.mac },
        ],
        flows: [through(1, 2), through(2, 1)],
      },
      {
        name: 'br-out',
        mac: underlay(number).mac,
        underlay: { ip: underlay(number).ip, prefixLength: 24, neighbours: [underlay(other)] },
        ports: [{ kind: 'uplink', name: 'up-out', ofport: 1, mac: underlay(number).mac }],
        flows: ['in_port=1 actions=LOCAL', 'in_port=LOCAL actions=output:1'],
      },
    ],
    hosts: [podAt(`routed-${number}`, 'pod', pod.ip, pod.mac, gateway), stack()],
  };

  function stack(): HostPlan {
    const networks = [number, other].map((node) => `${networkOf(node)}.0/24`);
    const [own = '', far = ''] = networks;
    return {
      name,
      kind: 'linux-node',
      interfaces: [
        { name: 'gw', port: 'gw', ...gateway, prefixLength: 24 },
        { name: 'eth0', port: 'br-out', ...underlay(number), prefixLength: 24 },
      ],
      routes: [{ destination: far, via: underlay(other).ip, interface: 'eth0', onlink: false }],
      forwarding: { destinations: [], sources: [{ from: [own], except: networks }] },
    };
  }
}
