/** All of OVN for the switches of a cluster: started, given rows, waited for, read, stopped. */
import { readFile } from 'node:fs/promises';
import { awaitAll } from '../base/concurrency/await-all.js';
import { Unsupported, unknownName } from '../base/errors/errors.js';
import type { LogicalPacket, LogicalTrace } from '../domain/logical-trace.js';
import type { NorthboundPlan, ZonePlan } from '../domain/plan/northbound-plan.js';
import type { Image } from '../ovs/process/image.js';
import type { Daemon, DaemonSpec } from '../ovs/process/daemon.js';
import type { Vswitch } from '../ovs/vswitch.js';
import {
  throughAllChassis,
  waitForBindings,
  waitForChassis,
  waitForNorthd,
  waitForTunnelFlows,
  watchZone,
} from './barrier.js';
import { rebind, startChassis } from './chassis.js';
import { refuseRivals } from './claims.js';
import { schemaOf } from './database.js';
import { conjunctionNames, type ConjunctionNames } from './conjunctions.js';
import { renameCookies, sourcesIn, type FlowSource } from './cookies.js';
import { canonicalProgram } from './canonical-program.js';
import { dnsRecords } from './dns-records.js';
import { dumpBridge, type DumpedBridge } from './dumped-program.js';
import { letLearn } from './learned.js';
import { heldRows } from './northbound/held-rows.js';
import { northboundChanges } from './northbound/northbound-changes.js';
import { readSchema, type Schema } from './northbound/schema.js';
import { runPrograms } from './program-calls.js';
import { addRemoteChassis } from './remote-chassis.js';
import { askOvnTrace, knownFlows } from './ovn-trace/ask-ovn-trace.js';
import {
  recomputeZone,
  sourcesOfZone,
  zoneCalled,
  zoneOf,
  type RunningZone,
} from './running-zone.js';
import { datapathNames, pinTrackerZones } from './tracker-zones.js';
import { pinTunnels, type TunnelPort } from './tunnels.js';
import { refuseUnsupported } from './unsupported.js';
import { versionsOf } from './versions.js';
import { startZone } from './zone.js';

/** What OVN has made of one chassis: its bridge's program, and the tunnels that it has added. */
export interface CompiledChassis {
  readonly node: string;
  readonly bridge: string;
  readonly program: DumpedBridge;
  readonly tunnels: readonly TunnelPort[];
}

export interface Ovn {
  /** Versions as the running programs report them, by program. */
  readonly versions: Readonly<Record<string, string>>;
  /** Every daemon, by the words of its name: `ovn-controller of node n1`. */
  readonly daemons: readonly Daemon[];
  /**
   * Makes the northbound databases hold the rows of `plan`, in one transaction a zone, and waits
   * until all chassis are programmed.
   * @param limitMs after which it is given up that a condition comes true.
   * @throws Unavailable with the condition that did not come true, or with the last lines of the
   *   log of a daemon that ended.
   */
  apply(plan: NorthboundPlan, limitMs?: number): Promise<readonly CompiledChassis[]>;
  /** What conjunctions of a bridge are called, as of the last `apply`. */
  conjunctions(node: string, bridge: string): ConjunctionNames;
  /** What cookies of flows stand for, of all zones, as of the last `apply`. */
  sources(): readonly FlowSource[];
  /** Has northd and controllers compile from scratch what they hold, and waits until they have. */
  recompute(): Promise<void>;
  /** What ovn-trace makes of a packet that comes in at a logical port of a node. */
  traceLogically(packet: LogicalPacket): Promise<LogicalTrace>;
  /**
   * Waits until ovn-controller of a node has answered the packets that it was sent, and gives how
   * many these were.
   */
  quiesce(node: string): Promise<number>;
  /** Resolves as `work` does, or fails at once when a daemon of OVN exits. */
  whileAlive<T>(work: Promise<T>): Promise<T>;
  /** @throws Unavailable when a daemon of OVN has exited. */
  checkAlive(): Promise<void>;
  stop(): Promise<void>;
}

/** OVN of a hundred chassis takes more than a minute on two cores. */
const usualLimitMs = 120_000;

/**
 * Starts OVN for switches that run with their bridges and ports, and makes it program them.
 * @param dir where folders of its own are made.
 * @throws Unavailable; nothing of OVN is left running then.
 */
export async function startOvn(
  plan: NorthboundPlan,
  image: Image,
  dir: string,
  switches: ReadonlyMap<string, Vswitch>,
  launch?: DaemonSpec['launch'],
): Promise<Ovn> {
  const stopping: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const one of stopping.splice(0).toReversed()) await one();
  };
  try {
    const schema = readSchema(await readFile(schemaOf(image, 'OVN_Northbound'), 'utf8'));
    const zones = await awaitAll(
      plan.zones.map((zone) => startRunningZone(zone, image, dir, switches, stopping, launch)),
    );
    return runningOvn(zones, image, schema, stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

/** @param stopping what ends each thing that was started is put there once it is. */
async function startRunningZone(
  { name, chassis: plans, remoteChassis = [] }: ZonePlan,
  image: Image,
  dir: string,
  switches: ReadonlyMap<string, Vswitch>,
  stopping: (() => Promise<void>)[],
  launch: DaemonSpec['launch'],
): Promise<RunningZone> {
  const zone = await startZone(image, dir, name, launch);
  stopping.push(zone.stop);
  const replicas = await watchZone(zone);
  stopping.push(async () => {
    replicas.close();
  });
  await zone.whileAlive(waitForNorthd(zone, replicas, usualLimitMs));
  // Before ports that name them: ovn-controller warns of chassis that it does not know.
  await zone.whileAlive(addRemoteChassis(zone, remoteChassis));
  const zones = remoteChassis.length === 0 ? 'one' : 'several';
  const chassis = await awaitAll(
    plans.map(async (one) => {
      const vswitch = switches.get(one.node);
      if (vswitch === undefined) throw unknownName('node', one.node, [...switches.keys()]);
      const started = await startChassis(image, one, vswitch, zone.south.socket, zones);
      stopping.push(started.stop);
      return started;
    }),
  );
  return { zone, replicas, chassis, zones: new Map(), wanted: { rows: [] } };
}

function runningOvn(
  zones: readonly RunningZone[],
  image: Image,
  schema: Schema,
  stop: () => Promise<void>,
): Ovn {
  const daemons = zones.flatMap(({ zone, chassis }) => [
    zone.northd,
    zone.north.server,
    zone.south.server,
    ...chassis.map(({ controller }) => controller),
  ]);
  const whileAlive = <T>(work: Promise<T>): Promise<T> =>
    daemons.reduce((watched, daemon) => daemon.whileAlive(watched), work);
  let sources: readonly FlowSource[] = [];
  let known = knownFlows(sources);
  const conjunctions = new Map<string, ConjunctionNames>();
  return {
    versions: versionsOf(zones),
    daemons,
    whileAlive,
    checkAlive: async () => void (await Promise.all(daemons.map((one) => one.checkAlive()))),
    sources: () => sources,
    conjunctions: (node, bridge) => conjunctions.get(`${node} ${bridge}`) ?? new Map(),
    quiesce: async (node) => {
      const chassis = zones.flatMap((zone) => zone.chassis).find(({ plan }) => plan.node === node);
      return chassis === undefined ? 0 : await chassis.whileAlive(chassis.relay.quiesce());
    },
    recompute: async () =>
      void (await whileAlive(awaitAll(zones.map((one) => recomputeZone(one, usualLimitMs))))),
    traceLogically: (packet) => askOvnTrace(image, zoneOf(zones, packet.node).zone, packet, known),
    apply: async (plan, limitMs = usualLimitMs) => {
      const compiled = await whileAlive(
        awaitAll(
          plan.zones.map(async (wanted) => {
            const running = zoneCalled(zones, wanted.name);
            return await applyToZone(wanted, running, image, schema, limitMs);
          }),
        ),
      );
      sources = (await whileAlive(awaitAll(zones.map((one) => sourcesOfZone(one, schema))))).flat();
      known = knownFlows(sources);
      return compiled.flat().map((chassis) => {
        const { node, bridge } = chassis;
        const named = renameCookies(chassis.program.flows, sources);
        conjunctions.set(`${node} ${bridge}`, conjunctionNames(named));
        const made = canonicalProgram(chassis.program, sources);
        const [flows, groups] = [made.flows.toSorted(), made.groups.toSorted()];
        const program = { ...chassis.program, flows, groups, sources: sourcesIn(flows, sources) };
        return { ...chassis, program };
      });
    },
    stop,
  };
}

async function applyToZone(
  plan: ZonePlan,
  running: RunningZone,
  image: Image,
  schema: Schema,
  limitMs: number,
): Promise<readonly CompiledChassis[]> {
  refuseRivals(plan);
  const { zone, replicas, chassis } = running;
  for (const [index, one] of chassis.entries()) {
    const wanted = plan.chassis.find(({ node }) => node === one.plan.node);
    if (wanted === undefined)
      throw new Unsupported(`a chassis that leaves its zone: ${one.plan.node}`);
    // Programs bind the ports that they plug.
    if (plan.programs === undefined) await one.whileAlive(rebind(one, wanted.bindings));
    chassis[index] = { ...one, plan: wanted };
  }
  await waitForChassis(zone, replicas, plan.chassis, limitMs);
  for (const one of chassis) await letLearn(one, zone, limitMs);
  const held = await heldRows(zone, schema);
  await throughAllChassis(
    zone,
    replicas,
    northboundChanges(zone.name, plan.rows, held, schema, zone.northd.version),
    limitMs,
  );
  await refuseUnsupported(zone, plan.rows);
  const peers = [...plan.chassis, ...(plan.remoteChassis ?? [])];
  const tunnels = await awaitAll(
    chassis.map((one) => one.whileAlive(pinTunnels(one.vswitch, one.plan, peers, limitMs))),
  );
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
  return await awaitAll(
    chassis.map(async (one, index) => {
      const { node, bridge } = one.plan;
      const made = tunnels[index] ?? [];
      await one.whileAlive(waitForTunnelFlows(one, made, limitMs));
      const dumped = await dumpBridge(image, one.vswitch, bridge);
      const program = dns.length === 0 ? dumped : { ...dumped, dns };
      return { node, bridge, program, tunnels: made };
    }),
  );
}
