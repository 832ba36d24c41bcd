/**
 * Goal: containers of a real kernel reach each other by what the plugin has made, and nothing of it
 * is left when they are gone. Method: a node as a network namespace under real OVN, containers as
 * others; ADD by veth pair and by internal port; datagrams through their stacks before the watcher
 * has been and after; ADD dies behind each step.
 */
import t, { type Test } from 'tap';
import { openImage } from '../../../images/images.js';
import { assert } from '../../base/errors/errors.js';
import { withDeadline } from '../../base/concurrency/deadline.js';
import { whatNamespacesLack } from '../../testbeds/kernel/namespace.js';
import { steps, stepsOfDel } from './step.js';
import { makeContainerNamespace } from './testkit/container-namespace.js';
import { openKernelNode, type KernelNode } from './testkit/kernel-node.js';
import { equalOvnCniCluster } from '../../../topologies/ovn-cni/ovn-cni-cluster.js';
import { ovnCni } from '../../control/ovn-cni/index.js';
import { netnsUserspace } from '../../testbeds/netns/netns-backend.js';
import { nodeFolder } from '../../testbeds/sim/configure/folders.js';

const lacks = whatNamespacesLack();
const skip = lacks ?? false;
const opened = lacks === undefined ? await openNode() : undefined;

async function openNode(): Promise<KernelNode> {
  const image = await openImage('trixie', (line) => t.comment(line));
  const plan = ovnCni().plan(equalOvnCniCluster(1, 0, 'has not run'));
  const switches = await netnsUserspace.open(plan, image);
  t.teardown(() => switches.close());
  const node = await openKernelNode({
    northbound: `${switches.dir}/global~nb/db.sock`,
    openvswitch: `${nodeFolder(switches.dir, 'n1')}/db.sock`,
    vswitchd: switches.daemons.get('n1')?.vswitchd ?? 0,
  });
  t.teardown(() => node.close());
  return node;
}

function node() {
  assert(opened !== undefined, 'tests without a node are skipped');
  return opened;
}

async function container(t: Test) {
  const made = await makeContainerNamespace();
  t.teardown(() => made.close());
  return made;
}

for (const kind of ['veth', 'internal'] as const) {
  const config = { interface: kind };

  void t.test(`datagrams between containers at ends of kind ${kind}`, { skip }, async (t) => {
    const { call, everything, watch } = node();
    const before = await everything();
    const [a, b] = [await container(t), await container(t)];
    const added = await call('ADD', { id: 'a', netns: a.path, config });
    const other = await call('ADD', { id: 'b', netns: b.path, config });
    t.same([added.code, other.code], [0, 0], JSON.stringify([added.answer, other.answer]));
    const checked = { ...config, prevResult: other.answer };
    t.equal((await call('CHECK', { id: 'b', netns: b.path, config: checked })).code, 0);
    const [{ address = '' } = {}] = other.answer['ips'] as readonly { address?: string }[];
    const receiver = b.start(script(receive));
    t.equal(await receiver.line(), 'listens');
    const send = (word: string) =>
      a.start(script(sendTo(address.split('/')[0] ?? '', word))).exited;
    t.equal(await send('before'), 0);
    await watch(['a', 'b']);
    t.equal(await send('after'), 0);
    const heard = await withDeadline(receiver.line(), 30_000, 'a datagram to arrive');
    t.equal(heard, 'after', 'nothing comes in before something is allowed');
    t.match(await b.start(['ip', 'link', 'show', 'eth0']).line(), /mtu 1400/);
    t.equal((await call('DEL', { id: 'a', netns: a.path, config })).code, 0);
    t.equal((await call('DEL', { id: 'b', netns: b.path, config })).code, 0);
    t.same(await everything(), before, 'nothing is left on the host or in OVN');
    t.same([a.links(), b.links()], [['lo'], ['lo']], 'nor in the containers');
  });

  void t.test(`ADD of kind ${kind} that dies behind each step`, { skip }, async (t) => {
    const { call, everything } = node();
    const before = await everything();
    for (const step of steps) {
      const a = await container(t);
      const asked = { id: 'a', netns: a.path, config };
      const died = await call('ADD', { ...asked, env: { OVN_CNI_DIES_AFTER: step } });
      t.equal(died.code, 'SIGKILL', `dies behind "${step}"`);
      if (step !== 'plugged') {
        const again = await call('ADD', asked);
        t.equal(again.code, 0, `ADD again behind "${step}": ${JSON.stringify(again.answer)}`);
        t.same(a.links(), ['eth0', 'lo']);
      }
      t.equal((await call('DEL', asked)).code, 0);
      t.same(await everything(), before, `nothing is left of an ADD that died behind "${step}"`);
      t.same(a.links(), ['lo']);
    }
  });
}

void t.test('CHECK sees what is wrong in a container; GC takes all away', { skip }, async (t) => {
  const { call, everything } = node();
  const before = await everything();
  const a = await container(t);
  const asked = { id: 'a', netns: a.path };
  t.match((await call('ADD', { ...asked, netns: '/nowhere' })).answer, { code: 3 });
  t.same(await everything(), before, 'no namespace, nothing made');
  const { answer } = await call('ADD', asked);
  const check = () => call('CHECK', { ...asked, config: { prevResult: answer } });
  t.equal((await check()).code, 0);
  const inside = (...words: readonly string[]) => a.start(['ip', ...words]).exited;
  const [host, listed] = answer['interfaces'] as readonly { readonly name: string }[];
  const [address] = answer['ips'] as readonly { readonly gateway: string }[];
  const gateway = address?.gateway ?? '';
  const withMtu = { ...answer, interfaces: [host, { ...listed, mtu: 1300 }] };
  await inside('link', 'set', 'eth0', 'mtu', '1280');
  t.match(
    (await call('CHECK', { ...asked, config: { prevResult: withMtu } })).answer,
    { code: 101, msg: /eth0 has an MTU of 1280, not 1300/ },
    'the MTU that prevResult lists',
  );
  t.match((await check()).answer, { code: 101, msg: /eth0 has an MTU of 1280, not 1400/ });
  await inside('link', 'set', 'eth0', 'mtu', '1400');
  await inside('route', 'del', 'default');
  t.match((await check()).answer, { code: 101, msg: /has no route to 0\.0\.0\.0\/0/ });
  await inside('route', 'add', 'default', 'dev', 'eth0');
  t.match((await check()).answer, { code: 101, msg: /goes by no gateway, not by/ });
  await inside('route', 'replace', 'default', 'via', gateway, 'dev', 'eth0');
  t.equal((await check()).code, 0, 'as it was');
  await inside('link', 'set', 'eth0', 'down');
  t.match((await check()).answer, { code: 101, msg: /is down/ });
  await inside('link', 'set', 'eth0', 'up');
  await inside('route', 'replace', 'default', 'via', gateway, 'dev', 'eth0');
  t.equal((await check()).code, 0, 'as it was');
  await a.start(['ip', 'addr', 'flush', 'dev', 'eth0']).exited;
  t.match((await check()).answer, { code: 101, msg: /eth0 has not the address/ });
  await a.start(['ip', 'link', 'del', 'eth0']).exited;
  t.match((await check()).answer, { code: 101, msg: /has no interface "eth0"/ });
  const kept = { 'cni.dev/valid-attachments': [] };
  const collected = await call('GC', { id: 'x', netns: '', config: kept });
  t.equal(collected.code, 0, JSON.stringify(collected.answer));
  t.same(await everything(), before);
});

void t.test('DEL that dies behind each step, then DEL again', { skip }, async (t) => {
  const { call, everything } = node();
  const before = await everything();
  for (const step of stepsOfDel) {
    const a = await container(t);
    const asked = { id: 'a', netns: a.path };
    t.equal((await call('ADD', asked)).code, 0);
    const died = await call('DEL', { ...asked, env: { OVN_CNI_DIES_AFTER: step } });
    t.equal(died.code, 'SIGKILL', `dies behind "${step}"`);
    t.equal((await call('DEL', asked)).code, 0);
    t.same(await everything(), before, `nothing is left of a DEL that died behind "${step}"`);
    t.same(a.links(), ['lo']);
  }
});

void t.test('a container that ended before DEL leaves nothing', { skip }, async (t) => {
  const { call, everything } = node();
  const before = await everything();
  const a = await container(t);
  t.equal((await call('ADD', { id: 'a', netns: a.path })).code, 0);
  a.close();
  t.equal((await call('DEL', { id: 'a', netns: '' })).code, 0);
  t.same(await everything(), before);
});

const script = (text: string) => [process.execPath, '-e', text];
const receive = `
  const socket = require('node:dgram').createSocket('udp4');
  socket.on('message', (one) => console.log(String(one)));
  socket.bind(7000, () => console.log('listens'));`;
const sendTo = (ip: string, word: string) => `
  const socket = require('node:dgram').createSocket('udp4');
  socket.send('${word}', 7000, '${ip}', (error) => { socket.close(); if (error) throw error; });`;
