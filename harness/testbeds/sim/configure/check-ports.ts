/** Whether ovs-vswitchd made its ports as planned. */
import { Unavailable } from '../../../base/errors/errors.js';
import type { NodePlan } from '../../../domain/plan/cluster-plan.js';
import type { Operation, Row } from '../../../ovs/ovsdb/ovsdb.js';
import { dumpedInterfaces } from './dumped-rows.js';
import { type InterfacePlan, interfacesOf } from './interface-plan.js';

export const selectInterfaces: Operation = {
  op: 'select',
  table: 'Interface',
  where: [],
  columns: ['name', 'ofport', 'mac_in_use', 'error'],
};

/** What is compared does not depend on devices. */
const anyDevice = { type: 'dummy', options: {} } as const;

function compareRows(
  plan: NodePlan,
  rows: readonly Row[],
  compare: (wanted: InterfacePlan, row: Row) => string | undefined,
): readonly string[] {
  const byName = new Map(rows.map((row) => [row['name'], row]));
  const wanted =
    plan.asDumped?.rows === undefined
      ? plan.bridges.flatMap((bridge) => interfacesOf(bridge, () => anyDevice))
      : dumpedInterfaces(plan.asDumped.rows);
  return wanted
    .map((port) => compare(port, byName.get(port.name) ?? {}))
    .filter((line) => line !== undefined);
}

/**
 * @throws Unavailable naming the ports that ovs-vswitchd refused, or gave another number than was
 *   asked for.
 */
export function checkPorts(plan: NodePlan, rows: readonly Row[]): void {
  const wrong = compareRows(plan, rows, ({ name, ofport }, row) => {
    if (typeof row['error'] === 'string') return `${name}: ${row['error']}`;
    return row['ofport'] === ofport
      ? undefined
      : `${name}: OpenFlow port ${ofport} was asked for, it has ${JSON.stringify(row['ofport'])}`;
  });
  if (wrong.length > 0)
    throw new Unavailable(
      `ovs-vswitchd of node ${plan.node} did not make its ports as planned: ${wrong.join('; ')}`,
    );
}

/**
 * The ports that do not yet have the MAC that was asked for, one line each: ovs-vswitchd reports it
 * some time after cur_cfg.
 */
export function awaitedMacs(plan: NodePlan, rows: readonly Row[]): readonly string[] {
  return compareRows(plan, rows, ({ name, mac }, row) =>
    mac === undefined || row['mac_in_use'] === mac
      ? undefined
      : `${name}: MAC ${mac} was asked for, it has ${JSON.stringify(row['mac_in_use'])}`,
  );
}
