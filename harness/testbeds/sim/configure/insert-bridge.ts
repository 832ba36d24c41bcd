/** A bridge as rows of tables Bridge and Mirror. */
import type { BridgePlan, MirrorPlan } from '../../../domain/plan/bridge-plan.js';
import { map, named, set } from '../../../ovs/ovsdb/ovsdb-value.js';
import type { Operation, Row } from '../../../ovs/ovsdb/ovsdb.js';

/** Packets meet mirrors in the order of their UUIDs: here that of the plan. */
function mirrorUuid(bridge: string, index: number): string {
  const digits = (number: string | number) => String(number).padStart(6, '0');
  return `00000000-0000-4000-8000-${digits(bridge.replace(/\D/g, ''))}${digits(index)}`;
}

function insertMirror(
  { name, select, vlans, output, snapLength }: MirrorPlan,
  uuid: string,
  portIds: ReadonlyMap<string, string>,
): Operation {
  const port = (wanted: string) => named(portIds.get(wanted) ?? wanted);
  const row: Row = {
    name,
    select_vlan: set(vlans),
    ...(select === 'all'
      ? { select_all: true }
      : {
          select_src_port: set(select.sources.map(port)),
          select_dst_port: set(select.destinations.map(port)),
        }),
    ...(output.kind === 'port' ? { output_port: port(output.port) } : { output_vlan: output.vlan }),
    ...(snapLength === undefined ? {} : { snaplen: snapLength }),
  };
  return { op: 'insert', table: 'Mirror', uuid, row };
}

function macTableColumns({
  macTable: { ageingS, size } = {},
}: BridgePlan): Readonly<Record<string, string>> {
  return {
    ...(ageingS === undefined ? {} : { 'mac-aging-time': String(ageingS) }),
    ...(size === undefined ? {} : { 'mac-table-size': String(size) }),
  };
}

function bridgeSnooping({
  multicastSnooping: { ageingS, size, unregistered } = {},
}: BridgePlan): Readonly<Record<string, string>> {
  return {
    ...(ageingS === undefined ? {} : { 'mcast-snooping-aging-time': String(ageingS) }),
    ...(size === undefined ? {} : { 'mcast-snooping-table-size': String(size) }),
    ...(unregistered === undefined
      ? {}
      : { 'mcast-snooping-disable-flood-unregistered': String(unregistered === 'to routers') }),
  };
}

/**
 * Of ovs-vswitchd.conf.db(5), table Bridge, "datapath_type": the kernel's, or a dummy in its place;
 * or the one in ovs-vswitchd.
 */
export type DatapathType = 'system' | 'netdev';

/** `fail_mode=secure`: without a controller the bridge does what its flows say and nothing else. */
export function insertBridge(
  bridge: BridgePlan,
  id: string,
  datapath: DatapathType,
  portIds: ReadonlyMap<string, string>,
): readonly Operation[] {
  const mirrors = (bridge.mirrors ?? []).map((mirror, index) =>
    insertMirror(mirror, mirrorUuid(id, index), portIds),
  );
  const row: Row = {
    name: bridge.name,
    fail_mode: bridge.failMode ?? 'secure',
    datapath_type: datapath,
    other_config: map({
      hwaddr: bridge.mac,
      ...(bridge.forwardBpdu === undefined ? {} : { 'forward-bpdu': 'true' }),
      ...macTableColumns(bridge),
      ...bridgeSnooping(bridge),
    }),
    ports: set([...portIds.values()].map(named)),
    mirrors: set(mirrors.map((_, index) => ['uuid', mirrorUuid(id, index)])),
    mcast_snooping_enable: bridge.multicastSnooping !== undefined,
  };
  return [...mirrors, { op: 'insert', table: 'Bridge', 'uuid-name': id, row }];
}
