/** A port as rows of tables Port and Interface. */
import type { VlanPlan } from '../../../domain/plan/port-plan.js';
import { named, map, set } from '../../../ovs/ovsdb/ovsdb-value.js';
import type { Operation, Row } from '../../../ovs/ovsdb/ovsdb.js';
import { type InterfacePlan, local } from './interface-plan.js';

function vlanColumns(vlan: VlanPlan | undefined): Row {
  if (vlan === undefined) return {};
  return {
    trunks: set(vlan.trunks),
    ...(vlan.tag === undefined ? {} : { tag: vlan.tag }),
    ...(vlan.mode === undefined ? {} : { vlan_mode: vlan.mode }),
    ...(vlan.customerVlans === undefined ? {} : { cvlans: set(vlan.customerVlans) }),
  };
}

/** Of other_config. */
function vlanSettings(vlan: VlanPlan | undefined): Readonly<Record<string, string>> {
  return {
    ...(vlan?.priorityTags === undefined ? {} : { 'priority-tags': vlan.priorityTags }),
    ...(vlan?.outerTag === undefined ? {} : { 'qinq-ethtype': vlan.outerTag }),
  };
}

export function insertPort(plan: InterfacePlan, id: string): readonly Operation[] {
  const { name, ofport, mac, type, options, vlan, mtu, queueDscp = {}, settings = {} } = plan;
  const queues = Object.entries(queueDscp);
  const row: Row = {
    name,
    type,
    options: map(options),
    ...(mtu === undefined ? {} : { mtu_request: mtu }),
    ...(ofport === local ? {} : { ofport_request: ofport, ...(mac === undefined ? {} : { mac }) }),
  };
  return [
    { op: 'insert', table: 'Interface', 'uuid-name': `interface_${id}`, row },
    ...insertQueues(queues, id),
    {
      op: 'insert',
      table: 'Port',
      'uuid-name': `port_${id}`,
      row: {
        name,
        interfaces: named(`interface_${id}`),
        other_config: map({ ...settings, ...vlanSettings(vlan) }),
        ...vlanColumns(vlan),
        ...(queues.length === 0 ? {} : { qos: named(`qos_${id}`) }),
      },
    },
  ];
}

/** Their rates stay open: what drops packets by rates is not asked for. */
function insertQueues(
  queues: readonly (readonly [queue: string, dscp: number])[],
  id: string,
): readonly Operation[] {
  if (queues.length === 0) return [];
  return [
    ...queues.map(([queue, dscp]) => ({
      op: 'insert' as const,
      table: 'Queue',
      'uuid-name': `queue_${id}_${queue}`,
      row: { dscp },
    })),
    {
      op: 'insert',
      table: 'QoS',
      'uuid-name': `qos_${id}`,
      row: {
        type: 'linux-noop',
        queues: ['map', queues.map(([queue]) => [Number(queue), named(`queue_${id}_${queue}`)])],
      },
    },
  ];
}
