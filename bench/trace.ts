/**
 * What reading a dump costs: `flowbed trace` of a file of flows, beside `ovs-ofctl add-flows` of
 * the same file into a real switch, in one run; and a second packet on the same switch. Prints
 * Markdown. `node dist/bench/trace.js [FLOWS…]`, 10, 10,000 and 100,000 by default.
 */
import { spawnSync } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openImage } from '../images/images.js';
import { dumpedSwitch } from '../harness/dumps/dumped-switch.js';
import { openSim } from '../harness/testbeds/sim/sim.js';
import { readFlow } from '../harness/trace/packet-stimulus.js';
import { preparedNode } from '../harness/trace/script/prepared-node.js';
import { tracePacket } from '../harness/trace/trace-packets.js';
import { ofChildren, ownProcessor, processorOf } from './cost.js';
import { describeMachine, table } from './describe-machine.js';
import { scratchFolder } from '../harness/ovs/workspace/workspace.js';

const main = fileURLToPath(new URL('../bundle/main.js', import.meta.url));
const packet = 'in_port=1,udp,nw_src=10.0.0.1,nw_dst=10.0.1.2,nw_ttl=64,tp_src=4,tp_dst=5';
const packets = 1000;

/** Two tables: who may send, and where to, as a dump shows them. */
function flowsOf(count: number): string {
  const address = (index: number) =>
    `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`;
  const lines = Array.from({ length: count - 2 }, (_, index) =>
    index % 2 === 0
      ? `table=10, priority=200,ip,in_port=1,nw_src=${address(index)} actions=resubmit(,70)`
      : `table=70, priority=200,ip,nw_dst=${address(index)} actions=dec_ttl,` +
        'set_field:0a:00:00:00:00:01->eth_src,set_field:aa:bb:cc:dd:ee:ff->eth_dst,output:2',
  );
  return [
    'table=0, priority=0 actions=resubmit(,10)',
    'table=10, priority=0 actions=resubmit(,70)',
    ...lines,
    '',
  ].join('\n');
}

/** `flowbed trace`: seconds of the processor, and MiB at most. */
async function traceOnce(
  file: string,
): Promise<{ readonly seconds: number; readonly mib: string }> {
  const before = await ofChildren();
  const args = ['--import', reporter, main, 'trace', '--flows', file, packet];
  const ended = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (ended.status !== 0) throw new Error(ended.stderr);
  return {
    seconds: (await ofChildren()) - before,
    mib: /peak (\d+) kB/.exec(ended.stderr)?.[1] ?? '',
  };
}

/** The process says at its end how much memory it has held. */
const peakReporter =
  "process.on('exit', () => console.error(`peak ${process.resourceUsage().maxRSS} kB`));";

/** `ovs-ofctl add-flows`: seconds of the processor of both, ovs-ofctl and the switch. */
async function addFlows(file: string): Promise<number> {
  const image = await openImage('trixie', console.error);
  const ports = [1, 2].map((ofport) => ({ kind: 'endpoint' as const, name: `p${ofport}`, ofport }));
  const bridge = { name: 'br0', mac: 'aa:bb:cc:dd:ee:ff', ports, flows: [] };
  const sim = await openSim({ nodes: [{ node: 'n1', bridges: [bridge], hosts: [] }] }, image);
  try {
    const vswitchd = sim.daemons.get('n1')?.vswitchd ?? 0;
    const now = async () => (await ofChildren()) + (await processorOf(vswitchd));
    const before = await now();
    await sim.ofctl('n1', 'br0', 'add-flows', file);
    return (await now()) - before;
  } finally {
    await sim.close();
  }
}

/** Microseconds of the processor a packet, behind a first one. */
async function perPacket(file: string): Promise<number> {
  const target = dumpedSwitch([
    { bridge: 'br0', flows: { file, text: await readFile(file, 'utf8') } },
  ]);
  const node = preparedNode(target, { connections: [], macs: [] });
  const stimulus = readFlow(packet, target, undefined, { payload: undefined });
  tracePacket(node, stimulus);
  const before = ownProcessor();
  for (let sent = 0; sent < packets; sent++) tracePacket(node, stimulus);
  return ((ownProcessor() - before) / packets) * 1e6;
}

const wanted = process.argv.slice(2).map(Number);
const dir = await scratchFolder();
const reporter = join(dir, 'reporter.mjs');
try {
  await writeFile(reporter, peakReporter);
  const rows: string[][] = [];
  for (const count of wanted.length > 0 ? wanted : [10, 10_000, 100_000]) {
    const file = join(dir, 'flows');
    await writeFile(file, flowsOf(count));
    const switched = await addFlows(file);
    const traced = await traceOnce(file);
    rows.push([
      count.toLocaleString('en'),
      `${traced.seconds.toFixed(2)} s`,
      `${switched.toFixed(2)} s`,
      `${(Number(traced.mib) / 1024).toFixed(0)} MiB`,
      `${(await perPacket(file)).toFixed(0)} µs`,
    ]);
  }
  console.log(
    `Measured on ${describeMachine()}; seconds of the processor. Bars: 0.25 s to start, 100,000 ` +
      'flows in 10 s and 400 MiB, and in twice what ovs-ofctl and the switch take.\n',
  );
  console.log(
    table(['flows', 'trace', 'ovs-ofctl and ovs-vswitchd', 'memory', 'a second packet'], rows),
  );
} finally {
  await rm(dir, { recursive: true });
}
