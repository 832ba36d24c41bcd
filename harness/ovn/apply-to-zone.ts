/** Rows of one zone go in, and what its chassis are programmed with comes out. */
import { awaitAll } from '../base/concurrency/await-all.js';
import { Unsupported } from '../base/errors/errors.js';
import type { ZonePlan } from '../domain/plan/northbound-plan.js';
import type { Image } from '../ovs/process/image.js';
import {
  throughAllChassis,
  waitForBindings,
  waitForChassis,
  waitForTunnelFlows,
} from './barrier.js';
import { announcementsIn } from './announcements.js';
import { rebind } from './chassis.js';
import { refuseRivals } from './claims.js';
import { dnsRecords } from './dns-records.js';
import { dumpBridge, type DumpedBridge } from './dumped-program.js';
import { letLearn } from './learned.js';
import { markLocalnets } from './localnets.js';
import { heldRows } from './northbound/held-rows.js';
import { northboundChanges } from './northbound/northbound-changes.js';
import type { Schema } from './northbound/schema.js';
import { runPrograms } from './program-calls.js';
import type { RunningZone } from './running-zone.js';
import { datapathNames, pinTrackerZones } from './tracker-zones.js';
import { pinTunnels, type TunnelPort } from './tunnels.js';
import { refuseUnsupported } from './unsupported.js';

/** What OVN has made of one chassis: its bridge's program, and the tunnels that it has added. */
export interface CompiledChassis {
  readonly node: string;
  readonly bridge: string;
  readonly program: DumpedBridge;
  readonly tunnels: readonly TunnelPort[];
}

/** @throws Unavailable with the condition that did not come true within `limitMs`. */
export async function applyToZone(
  plan: ZonePlan,
  running: RunningZone,
  image: Image,
  schema: Schema,
  limitMs: number,
): Promise<readonly CompiledChassis[]> {
  refuseRivals(plan);
  const { zone, replicas, chassis } = running;
  for (const { announcing } of chassis) announcing.hold();
  for (const [index, one] of chassis.entries()) {
    const wanted = plan.chassis.find(({ node }) => node === one.plan.node);
    if (wanted === undefined)
      throw new Unsupported(`a chassis that leaves its zone: ${one.plan.node}`);
    // Programs bind the ports that they plug.
    if (plan.programs === undefined) await one.whileAlive(rebind(one, wanted.bindings));
    chassis[index] = { ...one, plan: wanted };
  }
  await waitForChassis(zone, replicas, plan.chassis, limitMs);
  // They come with chassis alone. A number that comes behind rows has flows compiled once more.
  const peers = [...plan.chassis, ...(plan.remoteChassis ?? [])];
  const tunnels = await awaitAll(
    chassis.map((one) => one.whileAlive(pinTunnels(one.vswitch, one.plan, peers, limitMs))),
  );
  const continuing = await letLearn(chassis, zone, limitMs);
  const held = await heldRows(zone, schema);
  await throughAllChassis(
    zone,
    replicas,
    northboundChanges(zone.name, plan.rows, held, schema, zone.northd.version),
    limitMs,
  );
  // Behind the marks of all chassis ovn-controller knows the rows, and sends what has waited.
  await awaitAll(continuing.map((one) => one.whileAlive(one.relay.quiesceUnasked())));
  await awaitAll(chassis.map((one) => one.whileAlive(markLocalnets(one.vswitch, one.plan))));
  await refuseUnsupported(zone, plan.rows);
  await runPrograms(plan, running.wanted, zone, chassis);
  running.wanted = plan;
  await waitForBindings(zone, replicas, plan.chassis, limitMs);
  await throughAllChassis(zone, replicas, [], limitMs);
  const datapaths = await datapathNames(zone);
  await awaitAll(
    chassis.map(async (one) => {
      const before = running.zones.get(one.plan.node) ?? new Map();
      const pinned = await one.whileAlive(pinTrackerZones(one, datapaths, before, limitMs));
      running.zones.set(one.plan.node, pinned);
    }),
  );
  await throughAllChassis(zone, replicas, [], limitMs);
  const dns = await dnsRecords(zone);
  const announced = await announcementsIn(zone);
  return await awaitAll(
    chassis.map(async (one, index) => {
      const { node, bridge } = one.plan;
      const made = tunnels[index] ?? [];
      const shown = await one.whileAlive(waitForTunnelFlows(one, made, limitMs));
      const dumped = await dumpBridge(image, one.vswitch, bridge, shown);
      const announcements = announced.get(node) ?? [];
      await one.whileAlive(one.relay.quiesceUnasked());
      one.announcing.expect(announcements);
      const program = {
        ...dumped,
        ...(dns.length === 0 ? {} : { dns }),
        ...(announcements.length === 0 ? {} : { announcements }),
      };
      return { node, bridge, program, tunnels: made };
    }),
  );
}
