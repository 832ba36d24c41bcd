/**
 * Goal: the clients of the daemons pass on what the daemons refuse, naming what was asked, and
 * nothing outlives the process that started it. Method: one real switch, and requests that it must
 * refuse; then a process that starts a switch and is killed.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { openImage } from '../../images/images.js';
import { withDeadline } from '../base/concurrency/deadline.js';
import { openOfctl } from './openflow/ofctl.js';
import { addBridge } from './testkit/add-bridge.js';
import { createDatabase, startVswitch } from './vswitch.js';
import { createWorkspace } from './workspace/workspace.js';

const image = await openImage('trixie', (line) => t.comment(line));
const workspace = await createWorkspace();
t.teardown(() => workspace.remove());
const emptyDatabase = join(workspace.dir, 'empty.db');
await createDatabase(image, emptyDatabase);

void t.test('a switch', async (t) => {
  const dir = join(workspace.dir, 'a');
  const vswitch = await startVswitch(image, 'node a', dir, emptyDatabase);
  t.teardown(() => vswitch.stop());
  const { ovsdb, vswitchd } = vswitch;

  await t.test('refuses a command by name', async (t) => {
    // A command that is there from the start: those of bridges come only once the database has been
    // read.
    await t.rejects(vswitchd.unixctl.call('vlog/set', 'nonsense:x:y'), {
      name: 'InputError',
      message: /^ovs-vswitchd of node a refuses "vlog\/set nonsense:x:y": ./,
    });
    t.match(await vswitchd.unixctl.call('version'), vswitchd.version, 'and continues');
  });

  await t.test('refuses an operation of a transaction', async (t) => {
    const insert = { op: 'insert', table: 'Bridge', row: { nmae: 'br0' } } as const;
    await t.rejects(ovsdb.transact([insert]), {
      name: 'InputError',
      message:
        /^ovsdb-server of node a refuses \{"op":"insert","table":"Bridge","row":\{"nmae":"br0"\}\}: .*nmae/,
    });
  });

  await t.test('gives up waiting for a condition by name', async (t) => {
    const never = {
      table: 'Open_vSwitch',
      where: [],
      columns: ['cur_cfg'],
      until: '==',
      rows: [{ cur_cfg: 99 }],
    } as const;
    await t.rejects(ovsdb.waitFor('the hundredth configuration', never, 20), {
      name: 'Unavailable',
      message: 'gave up after 0.02 s waiting for the hundredth configuration',
    });
  });

  await t.test('applies a bundle whole or not at all', async (t) => {
    await addBridge({ ovsdb }, 'br0');
    const ofctl = openOfctl(image, dir);
    const good = 'flow add table=0, priority=1,ip actions=drop';
    await t.rejects(ofctl.bundle('br0', [good, 'flow add table=0, actions=fly']), {
      name: 'InputError',
      message: 'ovs-ofctl refuses "flow add table=0, actions=fly" on br0: unknown action fly',
    });
    await t.rejects(
      ofctl.bundle('br0', [good, 'flow add table=0, priority=2,ip actions=group:7']),
      { name: 'InputError', message: /OFPBAC_BAD_OUT_GROUP.*group:7/ },
    );
    t.strictSame(await ofctl.dump(['br0']), [{ flows: [], groups: [], meters: [] }]);
    await ofctl.bundle('br0', ['group add group_id=4,type=all,bucket=actions=drop', good]);
    await ofctl.run('br0', 'add-meter', 'meter=7,kbps,bands=type=drop,rate=1000');
    const held = {
      flows: ['priority=1,ip actions=drop'],
      groups: ['group_id=4,type=all,bucket=bucket_id:0,actions=drop'],
      meters: ['meter=7 kbps bands= type=drop rate=1000'],
    };
    t.strictSame(await ofctl.dump(['br0', 'br0']), [held, held]);
    await t.rejects(ofctl.install('br0', vswitchd, ['flow delete', 'flow add actions=fly']), {
      name: 'InputError',
      message: 'ovs-ofctl refuses "flow add actions=fly" on br0: unknown action fly',
    });
    await t.rejects(ofctl.install('br0', vswitchd, ['flow delete', 'flow add actions=group:7']), {
      name: 'InputError',
      message: /OFPBAC_BAD_OUT_GROUP.*group:7/,
    });
    t.strictSame(await ofctl.dump(['br0']), [held], 'by messages as well');
    await ofctl.install('br0', vswitchd, ['flow delete', { add: 'priority=2,arp actions=drop' }]);
    const installed = { ...held, flows: ['priority=2,arp actions=drop'] };
    t.strictSame(await ofctl.dump(['br0']), [installed]);
    await t.rejects(ofctl.dump(['br0', 'br1']), { name: 'Unavailable', message: /br1.mgmt/ });
  });
});

void t.test('daemons die with the process that started them', async (t) => {
  const script = `
    import { openImage } from ${JSON.stringify(new URL('../../images/images.js', import.meta.url))};
    import { startVswitch } from ${JSON.stringify(new URL('./vswitch.js', import.meta.url))};
    const vswitch = await startVswitch(await openImage('trixie', () => {}), 'node b', ...${JSON.stringify([join(workspace.dir, 'b'), emptyDatabase])});
    console.log([vswitch.vswitchd.pid, vswitch.server.pid].join(' '));`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await withDeadline(
    once(child.stdout, 'data'),
    10_000,
    'the switch of another process',
  )) as [Buffer];
  const pids = line.toString().trim().split(' ').map(Number);
  t.strictSame(pids.map(isRunning), [true, true]);
  child.kill('SIGKILL');
  const gone = async () => {
    while (pids.some(isRunning)) await new Promise((resolve) => setImmediate(resolve));
  };
  await t.resolves(withDeadline(gone(), 5000, 'the daemons to die'));
});

/** A zombie, which the machine's first process has yet to reap, does not run. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
