/**
 * Goal: whatever of a node's network is there, `init` makes what is missing, and refuses what
 * contradicts it, with nothing changed. Method: the command as people run it, on a real northbound
 * database with ovn-northd; parts of what it has made are taken away.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import t from 'tap';
import { openImage } from '../../../images/images.js';
import { equalOvnCniCluster } from '../../../topologies/ovn-cni/ovn-cni-cluster.js';
import { Unavailable } from '../../base/errors/errors.js';
import { dropGroup, passGroup } from '../../control/ovn-cni/names.js';
import { ovnCni } from '../../control/ovn-cni/index.js';
import { connectOvsdb, type Operation } from '../../ovs/ovsdb/ovsdb.js';
import { openSim } from '../../testbeds/sim/sim.js';
import { runInit } from './testkit/run-plugin.js';

const timeout = 300_000;
const image = await openImage('trixie', (line) => t.comment(line));
const switches = await openSim(ovnCni().plan(equalOvnCniCluster(1, 1, 'has not run')), image);
t.teardown(() => switches.close());
const socket = `${switches.dir}/global~nb/db.sock`;
const peer = { name: 'a database', whyEnded: async () => new Unavailable('it has gone') };
const nb = await connectOvsdb(socket, 'OVN_Northbound', peer);
t.teardown(() => nb.close());

const init = (...args: readonly string[]) =>
  runInit(['--northbound', `unix:${socket}`, '--node', 'm1', ...args]);
const subnet = ['--subnet', '10.20.0.0/24'] as const;

/** Names of all that is there, and what leads where. */
async function everything(): Promise<string> {
  const select = (table: string, columns: readonly string[]): Operation => ({
    op: 'select',
    table,
    where: [],
    columns,
  });
  const results = await nb.transact([
    select('Logical_Router', ['name', 'external_ids']),
    select('Logical_Router_Port', ['name', 'networks', 'mac']),
    select('Logical_Switch', ['name', 'external_ids']),
    select('Logical_Switch_Port', ['name', 'options', 'addresses']),
    select('Port_Group', ['name']),
    select('ACL', ['match', 'action', 'priority', 'direction']),
  ]);
  return JSON.stringify(
    results.map((rows) => (rows ?? []).map((row) => JSON.stringify(row)).sort()),
  );
}

void t.test('repeated, it changes nothing', { timeout }, async (t) => {
  t.match(await init(...subnet), { code: 0, stderr: '' });
  const made = await everything();
  t.match(made, /rtos-m1.*10\.20\.0\.1\/24/, 'the router has the first address');
  t.match(await init(...subnet), { code: 0 });
  t.equal(await everything(), made);
});

void t.test('half-done: what is missing is made', { timeout }, async (t) => {
  const made = await everything();
  const lost: readonly (readonly [string, Operation[]])[] = [
    ['the switch', [{ op: 'delete', table: 'Logical_Switch', where: [['name', '==', 'm1']] }]],
    [
      'the link, at both ends',
      ['rtos-m1', 'stor-m1'].map((name, index) => ({
        op: 'mutate',
        table: index === 0 ? 'Logical_Router' : 'Logical_Switch',
        where: [['name', '==', index === 0 ? 'k8s_router' : 'm1']],
        mutations: [['ports', 'delete', ['named-uuid', name]]],
      })),
    ],
    [
      'both groups',
      [dropGroup, passGroup].map((name) => ({
        op: 'delete',
        table: 'Port_Group',
        where: [['name', '==', name]],
      })),
    ],
  ];
  for (const [what, operations] of lost) {
    await nb.transact(await withUuids(operations));
    t.not(await everything(), made, `${what}: gone`);
    t.match(await init(...subnet), { code: 0, stderr: '' }, what);
    t.equal(await everything(), made, `${what}: there again`);
  }
});

/** Ports by their names, in place of the UUIDs that a mutation takes. */
async function withUuids(operations: readonly Operation[]): Promise<readonly Operation[]> {
  const text = JSON.stringify(operations);
  const names = [...text.matchAll(/\["named-uuid","([^"]+)"\]/g)].map(([, name = '']) => name);
  let filled = text;
  for (const name of names) {
    const table = name.startsWith('rtos') ? 'Logical_Router_Port' : 'Logical_Switch_Port';
    const [rows = []] = await nb.transact([
      { op: 'select', table, where: [['name', '==', name]], columns: ['_uuid'] },
    ]);
    filled = filled.replace(`["named-uuid","${name}"]`, JSON.stringify(rows[0]?.['_uuid']));
  }
  return JSON.parse(filled) as readonly Operation[];
}

void t.test('another subnet, another router, and what is wrong', { timeout }, async (t) => {
  const made = await everything();
  const refused: readonly (readonly [readonly string[], number, RegExp])[] = [
    [['--subnet', '10.10.1.128/25', '--node', 'm2'], 2, /overlaps with 10\.10\.1\.1\/24/],
    [['--subnet', '10.20.0.0/16', '--node', 'm2'], 2, /overlaps with 10\.20\.0\.1\/24/],
    [[...subnet, '--lrouter-name', 'another_router'], 2, /connected to another router/],
    [['--subnet', '10.30.0.0/24', '--node', 'n1'], 2, /1 containers have addresses of it/],
    [['--subnet', '10.20.0.0/30'], 2, /prefix of 30 bits/],
    [['--subnet', '10.20.0.0'], 2, /--subnet/],
    [[], 2, /--subnet is missing/],
    [[...subnet, '--northbound', 'unix:/nowhere'], 3, /cannot be reached at unix:\/nowhere/],
    [[...subnet, '--northbound', 'ssl:1.2.3.4:6641'], 2, /no OVSDB remote/],
  ];
  for (const [args, code, words] of refused) {
    const said = await init(...args);
    t.equal(said.code, code, `${args.join(' ')}: ${said.stderr}`);
    t.match(said.stderr, words);
    t.equal(await everything(), made, 'nothing has changed');
  }
  t.match(await init('--subnet', '10.40.0.0/24'), { code: 0, stderr: '' }, 'nobody has an address');
  t.match(await everything(), /rtos-m1.*10\.40\.0\.1\/24/);
  t.match(await init(...subnet), { code: 0 });
  t.equal(await everything(), made, 'and back');
  const other = ['--node', 'm3', '--subnet', '10.50.0.0/24', '--lrouter-name', 'another_router'];
  t.match(await init(...other), { code: 0 });
  t.match(await everything(), /another_router/);
});

void t.test('a node is called as its kubelet calls the machine', { timeout }, async (t) => {
  const kubelet = createServer((request, response) => {
    response.end(request.url === '/spec' ? '{"num_cores":2,"machine_id":"deadbeef"}' : '{}');
  }).listen(0, '127.0.0.1');
  t.teardown(() => kubelet.close());
  await once(kubelet, 'listening');
  const url = `http://127.0.0.1:${(kubelet.address() as AddressInfo).port}`;
  const run = (address: string) =>
    runInit([
      ...['--northbound', `unix:${socket}`, '--subnet', '10.80.0.0/24'],
      ...['--kubelet', address],
    ]);
  t.match(await run(url), { code: 0, stderr: '' });
  t.match(await everything(), /rtos-deadbeef/);
  const made = await everything();
  t.match(await run(`${url}/elsewhere`), { code: 3, stderr: /has no machine_id/ });
  t.match(await run('http://127.0.0.1:1'), { code: 3, stderr: /kubelet does not answer/ });
  t.equal(await everything(), made);
});

void t.test('many nodes at once', { timeout }, async (t) => {
  const nodes = Array.from({ length: 6 }, (_, index) => index + 1);
  const said = await Promise.all(
    nodes.map((index) => init('--node', `x${index}`, '--subnet', `10.60.${index}.0/24`)),
  );
  t.same(
    said.map(({ code }) => code),
    nodes.map(() => 0),
    said.map(({ stderr }) => stderr).join(' '),
  );
  const clash = await Promise.all(
    ['y1', 'y2'].map((node) => init('--node', node, '--subnet', '10.70.0.0/24')),
  );
  t.same(clash.map(({ code }) => code).sort(), [0, 2], 'of two who want a subnet one gets it');
});
