/**
 * Goal: what is printed of a bridge is what ovs-ofctl prints of it now, and ovs-ofctl is started
 * only for what has changed. Method: one real switch; each kind of change of its flows, groups,
 * meters and tunnel options, each beside ovs-ofctl itself; and packets, which change counters
 * alone.
 */
import { join } from 'node:path';
import t from 'tap';
import { openImage } from '../../../images/images.js';
import type { Image } from '../process/image.js';
import { runProgram } from '../process/run-program.js';
import { addBridge } from '../testkit/add-bridge.js';
import { createDatabase, startVswitch } from '../vswitch.js';
import { managementSocket } from '../workspace/socket-path.js';
import { createWorkspace } from '../workspace/workspace.js';
import { dumpTexts } from './dump-texts.js';
import { openOfctl } from './ofctl.js';

const image = await openImage('trixie', (line) => t.comment(line));
const workspace = await createWorkspace();
t.teardown(() => workspace.remove());
const emptyDatabase = join(workspace.dir, 'empty.db');
await createDatabase(image, emptyDatabase);
const runDir = join(workspace.dir, 'a');
const vswitch = await startVswitch(image, 'node a', runDir, emptyDatabase);
t.teardown(() => vswitch.stop());
await addBridge(vswitch, 'br');

const kinds = ['flows', 'groups', 'meters', 'tlv-map'] as const;
const options = ['-O', 'OpenFlow15', '--timeout=60'];
const ofctl = openOfctl(image, runDir);
let starts = 0;
/** The image, which notes what it is asked to print. */
const watched: Image = {
  ...image,
  command: (program) => {
    starts++;
    return image.command(program);
  },
};

async function printedNow(): Promise<{ readonly texts: readonly string[]; starts: number }> {
  starts = 0;
  const { texts, failure } = await dumpTexts(watched, options, [{ runDir, bridge: 'br' }], kinds);
  t.equal(failure, undefined);
  return { texts: texts[0] ?? [], starts };
}

/** Without what numbers messages. */
function bare(text: string): string {
  return text.replaceAll(/xid=0x[0-9a-f]+/g, 'xid');
}

async function printedByOfctl(): Promise<readonly string[]> {
  const target = `unix:${managementSocket(runDir, 'br')}`;
  const commands = [
    ['--no-stats', '--no-names', 'dump-flows'],
    ['--no-names', 'dump-groups'],
    ['dump-meters'],
    ['dump-tlv-map'],
  ];
  const texts: string[] = [];
  for (const command of commands)
    texts.push((await runProgram(image, 'ovs-ofctl', [...options, ...command, target])).stdout);
  return texts;
}

const flow = 'table=3,priority=7,ip,nw_dst=10.0.0.0/24';
/** Each changes something; with how many dumps are others than those printed before. */
const changes: readonly (readonly [name: string, args: readonly string[], shows: number])[] = [
  ['a meter', ['add-meter', 'BR', 'meter=1,kbps,band=type=drop,rate=100'], 1],
  ['its rate', ['mod-meter', 'BR', 'meter=1,kbps,band=type=drop,rate=101'], 1],
  ['a group', ['add-group', 'BR', 'group_id=1,type=select,bucket=weight=1,actions=drop'], 1],
  ['a weight', ['mod-group', 'BR', 'group_id=1,type=select,bucket=weight=2,actions=drop'], 1],
  ['an option', ['add-tlv-map', 'BR', '{class=0x102,type=0x80,len=4}->tun_metadata0'], 1],
  ['a flow', ['add-flow', 'BR', `${flow} actions=group:1`], 1],
  ['its actions', ['add-flow', 'BR', `${flow} actions=meter:1,group:1`], 1],
  ['its cookie', ['add-flow', 'BR', `cookie=0x5,${flow} actions=meter:1,group:1`], 1],
  ['its timeout', ['add-flow', 'BR', `idle_timeout=600,${flow} actions=meter:1,group:1`], 1],
  ['its other timeout', ['add-flow', 'BR', `hard_timeout=600,${flow} actions=meter:1,group:1`], 1],
  ['its flags', ['add-flow', 'BR', `send_flow_rem,${flow} actions=meter:1,group:1`], 1],
  ['its importance', ['add-flow', 'BR', `importance=5,${flow} actions=meter:1,group:1`], 1],
  [
    'another priority',
    ['add-flow', 'BR', `priority=8,${flow.replace('priority=7,', '')} actions=drop`],
    1,
  ],
  ['another table', ['add-flow', 'BR', 'table=4,tun_metadata0=0x5 actions=drop'], 1],
  ['no flow, as at first', ['del-flows', 'BR'], 0],
];

void t.test('what ovs-ofctl prints, and no start of it for what it has printed', async (t) => {
  const first = await printedNow();
  t.equal(first.starts, kinds.length);
  for (const [name, args, shows] of changes) {
    const [command = '', , ...others] = args;
    await ofctl.run('br', command, ...others);
    const { texts, starts } = await printedNow();
    t.equal(starts, shows, name);
    t.strictSame(texts.map(bare), (await printedByOfctl()).map(bare), name);
    t.equal((await printedNow()).starts, 0, `${name}, a second time`);
  }
});

void t.test('counters do not show', async (t) => {
  await ofctl.run('br', 'add-flow', 'table=0 actions=drop');
  const before = await printedNow();
  await ofctl.run('br', 'packet-out', 'in_port=local,packet=' + 'ff'.repeat(60) + ',actions=table');
  const after = await printedNow();
  t.match(await ofctl.run('br', 'dump-flows'), /n_packets=1,/);
  t.equal(after.starts, 0);
  t.strictSame(after.texts, before.texts);
});

void t.test('where nobody answers, no program is started', async (t) => {
  starts = 0;
  await t.rejects(dumpTexts(watched, options, [{ runDir, bridge: 'other' }], kinds), {
    name: 'Unavailable',
    message: /^other does not answer at .*other\.mgmt/,
  });
  t.equal(starts, 0);
});
