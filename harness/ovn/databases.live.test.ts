/**
 * Goal: what happens to OVN's databases while a cluster runs ends in a working cluster or in a
 * failure with its reason, never in a hang: a control plane that starts again finds what is stale
 * and leaves rows of others; a lock passes on; connections that are cut are said to be; rows that
 * the schema forbids are refused with the log. Method: the cluster of scenarios/ovn/first, and
 * clients of our own beside it.
 */
import t from 'tap';
import { openImage } from '../../images/images.js';
import scenario from '../../scenarios/ovn/first.js';
import { assert, Unavailable } from '../base/errors/errors.js';
import type { ClusterPlan } from '../domain/plan/cluster-plan.js';
import type { NorthboundRow } from '../domain/plan/northbound-plan.js';
import { connectOvsdb, type Ovsdb } from '../ovs/ovsdb/ovsdb.js';
import { connectUnixctl } from '../ovs/unixctl.js';
import { openSim } from '../testbeds/sim/sim.js';
import { zoneFolder } from './zone.js';

const image = await openImage('trixie', (line) => t.comment(line));
const topology = scenario.topology({ nodes: '2' });
const plan = scenario.controlPlane.plan(topology);
const switches = await openSim(plan, image);
t.teardown(() => switches.close());
const { recompile } = switches;
assert(recompile !== undefined, 'OVN programs the switches');

const peer = {
  name: 'ovsdb-server',
  whyEnded: () => Promise.resolve(new Unavailable('it closed the connection')),
};
const folder = zoneFolder(switches.dir, 'global', '~nb');
async function client(): Promise<Ovsdb> {
  return await connectOvsdb(`${folder}/db.sock`, 'OVN_Northbound', peer);
}

/** With a row more in the one zone, and a switch that has it. */
function withAcl(acl: NorthboundRow): ClusterPlan {
  const { northbound } = plan;
  assert(northbound !== undefined, 'OVN programs the plan');
  const has = (row: NorthboundRow): NorthboundRow =>
    row.id === 'switch n1'
      ? { ...row, columns: { ...row.columns, acls: { set: [{ row: acl.id }] } } }
      : row;
  return {
    ...plan,
    northbound: {
      zones: northbound.zones.map((zone) => ({ ...zone, rows: [...zone.rows.map(has), acl] })),
    },
  };
}

const acl = (priority: number): NorthboundRow => ({
  table: 'ACL',
  id: 'acl 1',
  columns: { direction: 'to-lport', action: 'drop', priority, match: 'ip4' },
});
const bridgesOf = ({ nodes }: ClusterPlan) => nodes.flatMap(({ bridges }) => bridges);

void t.test('who starts again removes what is stale, and no row of others', async (t) => {
  const before = switches.compiled;
  await recompile(withAcl(acl(7)));
  const other = await client();
  t.teardown(() => other.close());
  await other.transact([{ op: 'insert', table: 'Address_Set', row: { name: 'of_others' } }]);
  const again = await recompile(plan);
  assert(before !== undefined, 'OVN has compiled the plan');
  t.strictSame(bridgesOf(again), bridgesOf(before), 'as if the ACL had never been');
  const [acls, sets] = await other.transact([
    { op: 'select', table: 'ACL', where: [], columns: ['match'] },
    { op: 'select', table: 'Address_Set', where: [], columns: ['name'] },
  ]);
  t.strictSame(acls, []);
  t.ok(
    sets?.some(({ name }) => name === 'of_others'),
    JSON.stringify(sets),
  );
});

void t.test('a lock passes on when its holder ends', async (t) => {
  const [first, second] = [await client(), await client()];
  t.teardown(() => second.close());
  await first.lock('writer');
  const write = [
    { op: 'assert', lock: 'writer' },
    { op: 'insert', table: 'Address_Set', row: { name: 'locked' } },
  ] as const;
  await t.rejects(second.transact(write), { message: /not owner/ });
  const granted = second.lock('writer');
  first.close();
  await granted;
  t.equal((await second.transact(write)).length, 2);
});

void t.test('rows that the schema forbids are refused, with the log', async (t) => {
  await t.rejects(recompile(withAcl(acl(40_000))), {
    name: 'Unavailable',
    message: /refuses .*constraint violation/,
    evidence: [/^ovsdb-server of the northbound database of zone global:$/],
  });
  t.ok(await recompile(plan), 'and the cluster continues');
});

void t.test('connections that are cut are said to be', async (t) => {
  const control = await connectUnixctl(`${folder}/ovsdb-server.ctl`, peer);
  t.teardown(() => control.close());
  await control.call('ovsdb-server/reconnect');
  await t.rejects(recompile(plan), {
    name: 'Unavailable',
    message: /ovsdb-server of the northbound database of zone global closed a connection/,
  });
});
