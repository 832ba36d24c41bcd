// Goal: the northbound rows say of every pod what OVN has to know, once, and leave nothing to
// chance that OVN would number by itself. Method: clusters of several sizes, whose rows are held to
// what ovn-nb(5) asks of them, counted by hand.
import t from 'tap';
import { ovnCluster } from '../../../topologies/ovn/ovn-cluster.js';
import { podsOf } from '../../domain/topology.js';
import type { NorthboundRow, NorthboundValue } from '../../domain/plan/northbound-plan.js';
import { ovn } from './index.js';

const planned = (nodes: number) => {
  const cluster = ovnCluster({ nodes, podsPerNode: 2 });
  const plan = ovn().plan(cluster);
  const [zone] = plan.northbound?.zones ?? [];
  return { cluster, plan, zone, rows: zone?.rows ?? [] };
};

const mapOf = (value: NorthboundValue | undefined) =>
  typeof value === 'object' && 'map' in value ? value.map : {};
const setOf = (value: NorthboundValue | undefined) =>
  typeof value === 'object' && 'set' in value ? value.set : [];
const among = (rows: readonly NorthboundRow[], table: string) =>
  rows.filter((row) => row.table === table);

for (const nodes of [1, 2, 5])
  void t.test(`${nodes} nodes`, async (t) => {
    const { cluster, plan, zone, rows } = planned(nodes);
    const counted = (table: string) => among(rows, table).length;
    t.strictSame(
      [
        counted('Logical_Router'),
        counted('Logical_Switch'),
        counted('Logical_Router_Port'),
        counted('Logical_Switch_Port'),
      ],
      [1, nodes, nodes, 3 * nodes],
    );
    for (const { pod } of podsOf(cluster)) {
      const port = rows.find(({ id }) => id === `switch port ${pod.name}`);
      t.strictSame(setOf(port?.columns['addresses']), [`${pod.mac} ${pod.ip}`]);
      t.strictSame(setOf(port?.columns['port_security']), [`${pod.mac} ${pod.ip}`]);
    }
    const ports = among(rows, 'Logical_Switch').flatMap(({ columns }) => setOf(columns['ports']));
    t.equal(new Set(ports.map((port) => JSON.stringify(port))).size, 3 * nodes, 'a port a switch');
    const bound = (zone?.chassis ?? []).flatMap(({ node, bridge, bindings }) =>
      bindings.map(({ port, logicalPort }) => {
        const found = plan.nodes
          .find((one) => one.node === node)
          ?.bridges.find(({ name }) => name === bridge)
          ?.ports.some(({ name }) => name === port);
        t.ok(found, `${port} is a port of ${bridge} on ${node}`);
        return logicalPort;
      }),
    );
    t.strictSame(
      bound,
      podsOf(cluster).map(({ pod }) => pod.name),
    );
  });

void t.test('keys of a datapath differ', async (t) => {
  const { rows } = planned(5);
  const keyOf = (row: NorthboundRow) =>
    mapOf(row.columns[row.table === 'Logical_Switch' ? 'other_config' : 'options'])[
      'requested-tnl-key'
    ];
  const keyed = rows.filter(({ table }) => table !== 'NB_Global');
  t.strictSame(
    keyed.filter((row) => keyOf(row) === undefined),
    [],
  );
  const datapaths = keyed.filter(({ table }) => /^Logical_(Switch|Router)$/.test(table));
  t.equal(new Set(datapaths.map(keyOf)).size, datapaths.length);
  for (const { columns } of datapaths) {
    const own = setOf(columns['ports']).map((port) =>
      rows.find(({ id }) => typeof port === 'object' && id === port.row),
    );
    t.equal(new Set(own.map((row) => row && keyOf(row))).size, own.length);
  }
});
