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
  const { name, ofport, mac, type, options, vlan, mtu, settings = {} } = plan;
  const row: Row = {
    name,
    type,
    options: map(options),
    ...(mtu === undefined ? {} : { mtu_request: mtu }),
    ...(ofport === local ? {} : { ofport_request: ofport, ...(mac === undefined ? {} : { mac }) }),
  };
  return [
    { op: 'insert', table: 'Interface', 'uuid-name': `interface_${id}`, row },
    {
      op: 'insert',
      table: 'Port',
      'uuid-name': `port_${id}`,
      row: {
        name,
        interfaces: named(`interface_${id}`),
        other_config: map({ ...settings, ...vlanSettings(vlan) }),
        ...vlanColumns(vlan),
      },
    },
  ];
}
