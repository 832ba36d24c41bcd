/**
 * What each column of the database Open_vSwitch means for where packets go
 * (ovs-vswitchd.conf.db(5), of 3.1 to 4.0). A column that is not here is refused.
 */

/** `read`: the plan of the bridge has it. */
export type ColumnMeaning =
  | { readonly kind: 'read' }
  | { readonly kind: 'irrelevant'; readonly why: string; readonly isBuilt: boolean }
  /** Refused where `isSet`: packets may go by it, and plans have no words for it. */
  | { readonly kind: 'refused'; readonly isSet: (value: string) => boolean }
  /** Named in a note where `isSet`, with what is not answered then. */
  | {
      readonly kind: 'noted';
      readonly isSet: (value: string) => boolean;
      readonly note: string;
    }
  /** A map, key by key; keys that Open vSwitch does not read change nothing. */
  | { readonly kind: 'keys'; readonly keys: Readonly<Record<string, ColumnMeaning>> };

export type TableMeaning = Readonly<Record<string, ColumnMeaning>>;

const read: ColumnMeaning = { kind: 'read' };
const irrelevant = (why: string): ColumnMeaning => ({ kind: 'irrelevant', why, isBuilt: true });
/** The same, and a switch that is built from the row does not get it. */
const leftOut = (why: string): ColumnMeaning => ({ kind: 'irrelevant', why, isBuilt: false });
const refused = (isSet: (value: string) => boolean = isAnything): ColumnMeaning => ({
  kind: 'refused',
  isSet,
});
const noted = (note: string, isSet: (value: string) => boolean = isAnything): ColumnMeaning => ({
  kind: 'noted',
  isSet,
  note,
});
const keys = (known: Readonly<Record<string, ColumnMeaning>>): ColumnMeaning => ({
  kind: 'keys',
  keys: known,
});

function isAnything(): boolean {
  return true;
}
const isTrue = (value: string) => value === 'true';
const isNot =
  (...defaults: readonly string[]) =>
  (value: string) =>
    !defaults.includes(value);

const spoken = leftOut('packets that meet the protocol are refused');
const normalAlone = leftOut('packets of NORMAL are refused');
/** The same of several columns. */
const all = (meaning: ColumnMeaning, ...columns: readonly string[]): TableMeaning =>
  Object.fromEntries(columns.map((column) => [column, meaning]));
const forOthers = irrelevant('it is kept for other programs');
const status = leftOut('ovs-vswitchd reports it and does not read it');
const speed = irrelevant('it decides how fast packets are handled');
const exported = leftOut('it copies statistics to a collector');
const management = leftOut('it is about connections to managers and controllers');
const spanningTree = irrelevant('it counts only with a spanning tree, which is refused');
const bonding = irrelevant('it counts with LACP or after links have changed: both are refused');
const tunnelling = irrelevant(
  'what goes into a tunnel is seen as it leaves the bridge: the network around it is not dumped',
);
const devices = irrelevant('it is about the device below the port');
/** Vswitchd/bridge.c, ct_zone_alloc. */
const zoneTimeouts =
  'the answer is without its timeouts, which are not in force where the zone came with them';
const rate = 'what drops or delays packets by their rate is not answered';

const openVswitch: TableMeaning = {
  datapaths: read,
  bridges: read,
  manager_options: management,
  ssl: management,
  other_config: keys({
    'stats-update-interval': speed,
    'flow-restore-wait': refused(isTrue),
    'flow-limit': speed,
    'max-idle': speed,
    'max-revalidator': speed,
    'min-revalidate-pps': speed,
    'offloaded-stats-delay': speed,
    'hw-offload': speed,
    'n-offload-threads': speed,
    'tc-policy': speed,
    'dpdk-init': speed,
    'vlan-limit': read,
    'userspace-tso-enable': irrelevant('it decides into how many frames data are cut'),
    'bundle-idle-timeout': management,
    'explicit-sampled-drops': exported,
    'enable-statistics': forOthers,
    ipsec_skb_mark: tunnelling,
    private_key: tunnelling,
    certificate: tunnelling,
    ca_cert: tunnelling,
  }),
  external_ids: forOthers,
  next_cfg: status,
  cur_cfg: status,
  statistics: status,
  ovs_version: status,
  db_version: status,
  system_type: status,
  system_version: status,
  datapath_types: status,
  iface_types: status,
  dpdk_initialized: status,
  dpdk_version: status,
};

const bridge: TableMeaning = {
  name: read,
  datapath_type: leftOut('all datapaths do what flows say; docs/limits.md has exceptions'),
  datapath_version: status,
  datapath_id: management,
  stp_enable: refused(isTrue),
  rstp_enable: refused(isTrue),
  mcast_snooping_enable: read,
  ports: read,
  mirrors: read,
  netflow: exported,
  sflow: exported,
  ipfix: exported,
  controller: read,
  protocols: management,
  fail_mode: read,
  status,
  rstp_status: status,
  other_config: keys({
    hwaddr: read,
    'forward-bpdu': read,
    'mac-aging-time': read,
    'mac-table-size': read,
    'mcast-snooping-aging-time': read,
    'mcast-snooping-table-size': read,
    'mcast-snooping-disable-flood-unregistered': read,
    'datapath-id': management,
    'dp-desc': management,
    'dp-sn': management,
    'disable-in-band': management,
    'in-band-queue': management,
    'controller-queue-size': management,
    'stp-system-id': spanningTree,
    'stp-priority': spanningTree,
    'stp-hello-time': spanningTree,
    'stp-max-age': spanningTree,
    'stp-forward-delay': spanningTree,
    'rstp-address': spanningTree,
    'rstp-priority': spanningTree,
    'rstp-ageing-time': spanningTree,
    'rstp-force-protocol-version': spanningTree,
    'rstp-max-age': spanningTree,
    'rstp-forward-delay': spanningTree,
    'rstp-transmit-hold-count': spanningTree,
  }),
  external_ids: forOthers,
  flood_vlans: normalAlone,
  flow_tables: read,
  auto_attach: noted('VLANs that LLDP maps to services are not answered'),
};

const port: TableMeaning = {
  name: read,
  interfaces: read,
  trunks: read,
  cvlans: read,
  tag: read,
  vlan_mode: read,
  qos: read,
  mac: devices,
  bond_mode: read,
  lacp: leftOut('the bond that has it is refused at the packets that meet it'),
  bond_updelay: read,
  bond_downdelay: read,
  bond_active_slave: read,
  bond_fake_iface: bonding,
  fake_bridge: irrelevant('the tag of the port decides'),
  status,
  rstp_status: status,
  rstp_statistics: status,
  statistics: status,
  protected: normalAlone,
  other_config: keys({
    'qinq-ethtype': refused(isNot('802.1ad', '802.1q')),
    'priority-tags': read,
    'mcast-snooping-flood': read,
    'mcast-snooping-flood-reports': read,
    transient: management,
    hwaddr: devices,
    'stp-enable': spanningTree,
    'stp-port-num': spanningTree,
    'stp-port-priority': spanningTree,
    'stp-path-cost': spanningTree,
    'rstp-enable': spanningTree,
    'rstp-port-priority': spanningTree,
    'rstp-port-num': spanningTree,
    'rstp-path-cost': spanningTree,
    'rstp-port-admin-edge': spanningTree,
    'rstp-port-auto-edge': spanningTree,
    'rstp-port-mcheck': spanningTree,
    'bond-hash-basis': read,
    'lb-output-action': bonding,
    'bond-primary': read,
    'all-members-active': read,
    'bond-detect-mode': read,
    'bond-miimon-interval': bonding,
    'bond-rebalance-interval': bonding,
    'lacp-system-id': bonding,
    'lacp-system-priority': bonding,
    'lacp-time': bonding,
    'lacp-fallback-ab': bonding,
  }),
  external_ids: forOthers,
};

const interfaces: TableMeaning = {
  name: read,
  type: read,
  options: read,
  ingress_policing_rate: noted(rate, isNot('0')),
  ingress_policing_burst: noted(rate, isNot('0')),
  ingress_policing_kpkts_rate: noted(rate, isNot('0')),
  ingress_policing_kpkts_burst: noted(rate, isNot('0')),
  mac_in_use: read,
  mac: devices,
  ifindex: status,
  external_ids: forOthers,
  ofport: read,
  ofport_request: read,
  ...all(spoken, 'bfd', 'bfd_status', 'cfm_mpid', 'lldp'),
  cfm_remote_mpids: status,
  cfm_flap_count: status,
  cfm_fault: status,
  cfm_fault_status: status,
  cfm_remote_opstate: status,
  cfm_health: status,
  lacp_current: status,
  other_config: keys({
    'pmd-rxq-affinity': speed,
    'tx-steering': speed,
    'emc-enable': speed,
    'lacp-port-id': bonding,
    'lacp-port-priority': bonding,
    'lacp-aggregation-key': bonding,
  }),
  statistics: status,
  status,
  admin_state: read,
  link_state: read,
  link_resets: status,
  link_speed: status,
  duplex: status,
  mtu: read,
  mtu_request: devices,
  error: leftOut('a port with an error has no number, and is none'),
};

const mirror: TableMeaning = {
  name: read,
  select_all: read,
  select_src_port: read,
  select_dst_port: read,
  select_vlan: read,
  output_port: read,
  output_vlan: read,
  snaplen: read,
  filter: refused(),
  statistics: status,
  external_ids: forOthers,
};

const flowTable: TableMeaning = {
  name: read,
  flow_limit: irrelevant('the flows that are there are those of the dump'),
  overflow_policy: irrelevant('the flows that are there are those of the dump'),
  groups: irrelevant('the flows that are there are those of the dump'),
  prefixes: speed,
  external_ids: forOthers,
};

/** By table and column. */
export const columns: Readonly<Record<string, TableMeaning>> = {
  Open_vSwitch: openVswitch,
  Bridge: bridge,
  Port: port,
  Interface: interfaces,
  Mirror: mirror,
  Flow_Table: flowTable,
  QoS: {
    type: noted(rate),
    queues: read,
    other_config: irrelevant('it is about rates, which the type of QoS says are not answered'),
    external_ids: forOthers,
  },
  Queue: {
    dscp: read,
    other_config: irrelevant('it is about rates, which the type of QoS says are not answered'),
    external_ids: forOthers,
  },
  NetFlow: all(
    exported,
    ...['targets', 'engine_type', 'engine_id', 'add_id_to_interface', 'active_timeout'],
    'external_ids',
  ),
  sFlow: all(exported, 'targets', 'sampling', 'polling', 'header', 'agent', 'external_ids'),
  IPFIX: all(
    exported,
    ...['targets', 'sampling', 'obs_domain_id', 'obs_point_id', 'cache_active_timeout'],
    ...['cache_max_flows', 'stats_interval', 'template_interval', 'other_config', 'external_ids'],
  ),
  Flow_Sample_Collector_Set: all(
    exported,
    ...['id', 'bridge', 'ipfix', 'local_group_id', 'external_ids'],
  ),
  Controller: all(
    management,
    ...['type', 'target', 'max_backoff', 'inactivity_probe', 'connection_mode', 'local_ip'],
    ...['local_netmask', 'local_gateway', 'enable_async_messages', 'controller_queue_size'],
    ...['controller_rate_limit', 'controller_burst_limit', 'other_config', 'external_ids'],
    ...['is_connected', 'role', 'status'],
  ),
  Manager: all(
    management,
    ...['target', 'max_backoff', 'inactivity_probe', 'connection_mode', 'other_config'],
    ...['external_ids', 'is_connected', 'status'],
  ),
  Datapath: {
    datapath_version: status,
    ct_zones: read,
    capabilities: status,
    ct_zone_default_limit: read,
    external_ids: forOthers,
  },
  CT_Zone: {
    timeout_policy: noted(zoneTimeouts),
    limit: read,
    external_ids: forOthers,
  },
  CT_Timeout_Policy: all(
    irrelevant('the zone that refers to it is noted'),
    'timeouts',
    'external_ids',
  ),
  SSL: all(
    management,
    'private_key',
    'certificate',
    'ca_cert',
    'bootstrap_ca_cert',
    'external_ids',
  ),
  AutoAttach: all(
    irrelevant('the bridge that refers to it is noted'),
    ...['system_name', 'system_description', 'mappings'],
  ),
};
