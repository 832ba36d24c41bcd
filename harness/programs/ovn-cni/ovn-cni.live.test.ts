/**
 * Goal: whatever happens to an ADD, nothing is lost that DEL does not find, and no address is held
 * twice. Method: the plugin as a process against real databases and daemons of OVN, one node; ports
 * are the testbed's. ADD dies behind each of its steps; many run at once; addresses run out.
 */
import t from 'tap';
import { openImage } from '../../../images/images.js';
import scenario from '../../../scenarios/ovn-cni/lifecycle.js';
import { connectOvsdb } from '../../ovs/ovsdb/ovsdb.js';
import { Unavailable } from '../../base/errors/errors.js';
import { nodeFolder } from '../../testbeds/sim/configure/folders.js';
import { openSim } from '../../testbeds/sim/sim.js';
import { steps, stepsOfDel } from './step.js';
import { runPlugin, type Said } from './testkit/run-plugin.js';
import { whatIsHeld } from './testkit/what-is-held.js';

const image = await openImage('trixie', (line) => t.comment(line));
const plan = scenario.controlPlane.plan(scenario.topology({ nodes: '1' }));
const switches = await openSim(plan, image);
t.teardown(() => switches.close());
const northbound = `${switches.dir}/global~nb/db.sock`;
const openvswitch = `${nodeFolder(switches.dir, 'n1')}/db.sock`;
const peer = { name: 'a database', whyEnded: async () => new Unavailable('it has gone') };
const nb = await connectOvsdb(northbound, 'OVN_Northbound', peer);
const ovs = await connectOvsdb(openvswitch, 'Open_vSwitch', peer);
t.teardown(() => [nb, ovs].forEach((one) => one.close()));

const config = {
  cniVersion: '1.1.0',
  name: 'flowbed',
  type: 'ovn_cni',
  node: 'n1',
  northbound: `unix:${northbound}`,
  openvswitch: `unix:${openvswitch}`,
  interface: { type: 'dummy' },
};
const call = (command: string, id: string, more: object = {}, env = {}): Promise<Said> =>
  runPlugin(
    {
      CNI_COMMAND: command,
      CNI_CONTAINERID: id,
      CNI_IFNAME: 'eth0',
      CNI_NETNS: '/var/run/netns/x',
      CNI_PATH: '/opt/cni/bin',
      ...env,
    },
    JSON.stringify({ ...config, ...more }),
  );

const state = () => whatIsHeld(nb, ovs, 'n1');
const before = await state();

void t.test('ADD that dies behind each step, then DEL', async (t) => {
  for (const step of steps) {
    const died = await call('ADD', 'dies', {}, { OVN_CNI_DIES_AFTER: step });
    t.equal(died.code, 'SIGKILL', `dies behind "${step}"`);
    t.notSame(await state(), before, 'something is there');
    t.equal((await call('DEL', 'dies')).code, 0);
    t.same(await state(), before, `nothing is left of an ADD that died behind "${step}"`);
  }
});

void t.test('DEL that dies behind each step, then DEL again', async (t) => {
  for (const step of stepsOfDel) {
    t.equal((await call('ADD', 'leaves')).code, 0);
    const died = await call('DEL', 'leaves', {}, { OVN_CNI_DIES_AFTER: step });
    t.equal(died.code, 'SIGKILL', `dies behind "${step}"`);
    t.notSame(await state(), before, 'its address is held: it may be known on a chassis');
    t.equal((await call('DEL', 'leaves')).code, 0);
    t.same(await state(), before, `nothing is left of a DEL that died behind "${step}"`);
  }
});

void t.test('ADD that dies, then ADD again: the same port', async (t) => {
  await call('ADD', 'again', {}, { OVN_CNI_DIES_AFTER: 'port made' });
  const added = await call('ADD', 'again');
  t.equal(added.code, 0);
  const [ip] = added.answer['ips'] as readonly { readonly address: string }[];
  const check = await call('CHECK', 'again', { prevResult: added.answer });
  t.equal(check.code, 0, JSON.stringify(check.answer));
  const wrong = { ...added.answer, ips: [{ address: '10.10.1.99/24' }] };
  t.match((await call('CHECK', 'again', { prevResult: wrong })).answer, { code: 101 });
  const gateway = { ...added.answer, ips: [{ ...ip, gateway: '10.10.1.77' }] };
  t.match((await call('CHECK', 'again', { prevResult: gateway })).answer, {
    code: 101,
    msg: /ADD said gateway 10\.10\.1\.77/,
  });
  t.match((await call('ADD', 'again')).answer, { code: 100 }, 'a second ADD is refused');
  t.ok(ip?.address);
  for (const _ of ['first', 'second']) t.equal((await call('DEL', 'again')).code, 0);
  t.equal((await call('DEL', 'never-added')).code, 0);
  t.same(await state(), before);
});

void t.test('many at once: no address twice; GC takes what is not named', async (t) => {
  const ids = Array.from({ length: 12 }, (_, index) => `c${index}`);
  const added = await Promise.all(ids.map((id) => call('ADD', id)));
  t.same(
    added.map(({ code }) => code),
    ids.map(() => 0),
  );
  const addresses = added.map(({ answer }) => JSON.stringify(answer['ips']));
  t.equal(new Set(addresses).size, ids.length, addresses.join(' '));
  const kept = [...ids.slice(0, 1).map((containerID) => ({ containerID, ifname: 'eth0' }))];
  const pods = scenarioAttachments();
  const collected = await call('GC', 'x', { 'cni.dev/valid-attachments': [...kept, ...pods] });
  t.equal(collected.code, 0, JSON.stringify(collected.answer));
  await call('DEL', 'c0');
  t.same(await state(), before);
});

void t.test('what a runtime asks wrongly', async (t) => {
  const run = (env: Record<string, string>, stdin: string) => runPlugin(env, stdin);
  t.match((await run({}, '')).answer, { code: 4 });
  t.match((await run({ CNI_COMMAND: 'ADD' }, '')).answer, { code: 5 });
  t.match((await run({ CNI_COMMAND: 'ADD' }, '{')).answer, { code: 6 });
  t.match((await run({ CNI_COMMAND: 'ADD' }, '{"cniVersion":"9.9.9"}')).answer, { code: 1 });
  t.match((await call('STATUS', 'x', { cniVersion: '0.4.0' })).answer, { code: 1 });
  t.match((await call('ADD', 'x', { ipam: { type: 'host-local' } })).answer, { code: 2 });
  t.match((await call('ADD', '/x')).answer, { code: 4 });
  t.match((await call('ADD', 'x', { mtu: 1 })).answer, { code: 7 });
  t.match((await call('ADD', 'x', { subnet: '10.9.9.0/24' })).answer, { code: 7 });
  t.match((await call('ADD', 'x', { northbound: 'unix:/nowhere' })).answer, { code: 11 });
  t.match((await call('STATUS', 'x', { northbound: 'unix:/nowhere' })).answer, { code: 50 });
  t.equal((await call('STATUS', 'x')).code, 0);
  t.match((await run({ CNI_COMMAND: 'VERSION' }, '{"cniVersion":"0.4.0"}')).answer, {
    cniVersion: '0.4.0',
    supportedVersions: ['0.2.0', '0.3.0', '0.3.1', '0.4.0', '1.0.0', '1.1.0'],
  });
  t.same(await state(), before);
});

/** Those that the plan has added. */
function scenarioAttachments(): readonly object[] {
  return (plan.northbound?.zones ?? []).flatMap(({ chassis }) =>
    chassis.flatMap(({ bindings }) =>
      bindings.map(({ logicalPort }) => {
        const [containerID, ifname] = logicalPort.split('/');
        return { containerID, ifname };
      }),
    ),
  );
}
