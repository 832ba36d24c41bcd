/** Calls to one node: frames into its ports, and time. */
import { assert } from '../../base/errors/errors.js';
import type { SwitchStep } from '../../domain/switching.js';
import type { NodeInstruments } from './node-instruments.js';
import { oneMainLoopIteration } from './quiesce/main-loop.js';

/** A dummy port silently drops what its queue of 100 frames cannot take. */
const framesInFlight = 64;
/** A longer step of the clock cuts OpenFlow sessions. */
const longestStepMs = 30_000;

/** @param areApart no frame affects what another one of them meets. */
export async function receiveFrames(
  node: NodeInstruments,
  port: string,
  frames: readonly Uint8Array[],
  areApart?: true,
): Promise<SwitchStep> {
  const { traffic, learnWatch, neighbours, learnedAddresses, quiesce } = node;
  node.touched = 'yes';
  if (node.links.isDown(port)) return traffic.take();
  const isOrdered = node.programs.learns() || node.snooping.length > 0;
  const atOnce = areApart === undefined && isOrdered ? 1 : framesInFlight;
  await learnWatch.beforePackets();
  for (let first = 0; first < frames.length; first += atOnce) {
    const { hit } = traffic.lookups();
    await traffic.put(port, frames.slice(first, first + atOnce));
    await learnWatch.afterPackets();
    await neighbours.revalidateIfChanged();
    await learnedAddresses.revalidateIfChanged();
    await quiesce.afterPackets(traffic.lookups().hit === hit ? 'translated' : 'cached');
    await purgeIfSnooping(node);
  }
  return traffic.take();
}

/** What comes out of packets that a controller has put into a bridge. */
export async function takeAnnounced(node: NodeInstruments): Promise<SwitchStep> {
  const { traffic, learnWatch, neighbours, learnedAddresses, quiesce } = node;
  node.touched = 'yes';
  await traffic.quiet();
  await learnWatch.afterPackets('a controller');
  await neighbours.revalidateIfChanged();
  await learnedAddresses.revalidateIfChanged();
  await quiesce.afterPackets('translated');
  return traffic.take();
}

export async function advanceTime(node: NodeInstruments, ms: number): Promise<SwitchStep> {
  const { traffic, learnWatch, neighbours, quiesce } = node;
  // Where nothing is cached, learned or tracked, and no flow has a timeout, time changes nothing.
  const idle = node.touched === 'no' && !node.programs.isVolatile();
  if (!idle) node.touched = 'yes';
  assert(Number.isInteger(ms), `time advances by whole milliseconds, not ${ms}`);
  if (!idle) await learnWatch.beforePackets();
  await quiesce.beforeTime(ms, idle ? 'on nothing' : 'on what is there');
  await warpClock(node, ms);
  if (idle) return traffic.take();
  await learnWatch.afterPackets();
  await neighbours.revalidateIfChanged();
  await quiesce.afterTime();
  await purgeIfSnooping(node);
  return traffic.take();
}

async function warpClock(node: NodeInstruments, ms: number): Promise<void> {
  const { call } = node.vswitch.vswitchd.unixctl;
  for (let left = ms; left > 0; left -= longestStepMs) {
    const step = String(Math.min(left, longestStepMs));
    await node.devices.pass(Number(step));
    await Promise.all([
      call('time/warp', step, step),
      oneMainLoopIteration(call),
      node.neighbours.refresh(),
      node.traffic.quiet(),
    ]);
  }
}

/** Megaflows follow the members of multicast groups only some time after these change. */
async function purgeIfSnooping({ snooping, flowCounters }: NodeInstruments): Promise<void> {
  if (snooping.length > 0) await flowCounters.purge();
}
