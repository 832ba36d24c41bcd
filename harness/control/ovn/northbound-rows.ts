/**
 * The northbound rows of a network (ovn-nb(5)). What OVN would choose by itself, and differently
 * each time, is said: the keys of datapaths and ports, and the MAC addresses that it makes up.
 */
import { northdChoices } from './northd-choices.js';
import { parseCidr } from '../../base/addresses/mac-and-ipv4.js';
import type { NorthboundRow } from '../../domain/plan/northbound-plan.js';
import type { Node } from '../../domain/topology.js';
import type { OvnTopology } from '../../../topologies/ovn/ovn-topology.js';
import { allocate, type Numbers } from '../allocate.js';
import {
  answerRows,
  podColumns,
  routerNetworks,
  routerPortColumns,
  secondAddress,
  switchColumns,
} from './answer-rows.js';
import { machinePorts, machineRows, stayingPods } from './moving-machine.js';
import { tunnelKeysIn } from './tunnel-keys.js';
import { clusterRouter, routerPortOf, switchPortOf } from './names.js';

const key = (number: number) => ({ 'requested-tnl-key': String(number) });
const map = (entries: Readonly<Record<string, string>>) => ({ map: entries });

/**
 * Keys of the router's datapath, and of the first switch's; of the port that joins a switch to it.
 */
const keys = { router: 1, firstSwitch: 2, uplink: 1, firstPod: 2 } as const;

/** @param before rows that are there already: ports keep the keys that they have in these. */
export function northboundRows(
  network: OvnTopology,
  before: readonly NorthboundRow[],
): readonly NorthboundRow[] {
  const { nodes } = network;
  const keysBefore = tunnelKeysIn(before);
  return [
    northdChoices,
    {
      table: 'Logical_Router',
      id: `router ${clusterRouter}`,
      columns: {
        name: clusterRouter,
        ports: { set: nodes.map((node) => ({ row: `router port ${routerPortOf(node)}` })) },
        // Who asks is not remembered: all pods are known (ovn-nb(5), Logical_Router).
        options: map({ ...key(keys.router), always_learn_from_arp_request: 'false' }),
      },
    },
    ...nodes.flatMap((node, index) => rowsOfNode(network, node, index, keysBefore)),
    ...machineRows(network),
    ...answerRows(network),
  ];
}

function rowsOfNode(
  network: OvnTopology,
  node: Node,
  index: number,
  before: Numbers,
): readonly NorthboundRow[] {
  const pods = stayingPods(network, node);
  const ids = pods.map(({ name }) => `switch port ${name}`);
  const portKeys = allocate(
    ids,
    Object.fromEntries(Object.entries(before).filter(([id]) => ids.includes(id))),
    keys.firstPod,
  );
  const { prefixLength } = parseCidr(node.podCidr);
  return [
    {
      table: 'Logical_Router_Port',
      id: `router port ${routerPortOf(node)}`,
      columns: {
        name: routerPortOf(node),
        mac: node.gateway.mac,
        networks: {
          set: [`${node.gateway.ip}/${prefixLength}`, ...routerNetworks(network, node)],
        },
        options: map(key(index + 1)),
        ...routerPortColumns(network),
      },
    },
    {
      table: 'Logical_Switch',
      id: `switch ${node.name}`,
      columns: {
        name: node.name,
        ports: {
          set: [
            switchPortOf(node),
            ...pods.map(({ name }) => name),
            ...machinePorts(network, node),
          ].map((port) => ({
            row: `switch port ${port}`,
          })),
        },
        other_config: map(key(keys.firstSwitch + index)),
        ...switchColumns(network, node),
      },
    },
    {
      table: 'Logical_Switch_Port',
      id: `switch port ${switchPortOf(node)}`,
      columns: {
        name: switchPortOf(node),
        type: 'router',
        addresses: { set: ['router'] },
        options: map({ ...key(keys.uplink), 'router-port': routerPortOf(node) }),
      },
    },
    ...pods.map(
      ({ name, mac, ip }): NorthboundRow => ({
        table: 'Logical_Switch_Port',
        id: `switch port ${name}`,
        columns: {
          name,
          addresses: { set: [`${mac} ${ip}${secondAddress(network, ip)}`] },
          port_security: { set: [`${mac} ${ip}${secondAddress(network, ip)}`] },
          options: map(key(portKeys[`switch port ${name}`] ?? keys.firstPod)),
          ...podColumns(network, node),
        },
      }),
    ),
  ];
}
