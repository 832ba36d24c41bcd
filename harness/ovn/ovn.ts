/** All of OVN for the switches of a cluster: started, given rows, waited for, read, stopped. */
import { readFile } from 'node:fs/promises';
import { awaitAll } from '../base/concurrency/await-all.js';
import { unknownName } from '../base/errors/errors.js';
import type { LogicalPacket, LogicalTrace } from '../domain/logical-trace.js';
import type { ChassisPlan, NorthboundPlan, ZonePlan } from '../domain/plan/northbound-plan.js';
import type { Image } from '../ovs/process/image.js';
import type { Daemon, DaemonSpec } from '../ovs/process/daemon.js';
import type { Vswitch } from '../ovs/vswitch.js';
import { applyToZone, type CompiledChassis } from './apply-to-zone.js';
import { waitForNorthd, watchZone } from './barrier.js';
import { startChassis } from './chassis.js';
import { schemaOf } from './database.js';
import { conjunctionNames, isOfConjunction, type ConjunctionNames } from './conjunctions.js';
import { renameCookies, sourcesIn, type FlowSource } from './cookies.js';
import { canonicalProgram } from './canonical-program.js';
import { dumpBridge } from './dumped-program.js';
import { readSchema, type Schema } from './northbound/schema.js';
import { addRemoteChassis } from './remote-chassis.js';
import { restartingOf, type RestartingControllers } from './restarting.js';
import { askOvnTrace, knownFlows } from './ovn-trace/ask-ovn-trace.js';
import {
  recomputeZone,
  quiesceZone,
  sourcesOfZone,
  chassisOf,
  daemonsOf,
  runningChassis,
  zoneCalled,
  zoneOf,
  type RunningZone,
} from './running-zone.js';
import { versionsOf } from './versions.js';
import { withLogs } from './with-logs.js';
import { startZone } from './zone.js';

export interface Ovn extends RestartingControllers {
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
  /** What conjunctions of a bridge are called, as of the last `apply` or `renumbered`. */
  conjunctions(node: string, bridge: string): ConjunctionNames;
  /**
   * Ports have gone. ovn-controller compiles from scratch then, and may give conjunctions other
   * numbers: waits until it has, and reads what they are called now.
   */
  renumbered(): Promise<void>;
  /** What cookies of flows stand for, of all zones, as of the last `apply`. */
  sources(): readonly FlowSource[];
  /** Has northd and controllers compile from scratch what they hold, and waits until they have. */
  recompute(): Promise<void>;
  /** What ovn-trace makes of packets that come in at logical ports of nodes. */
  traceLogically(packets: readonly LogicalPacket[]): Promise<readonly LogicalTrace[]>;
  /**
   * Waits until ovn-controller of a node has answered the packets that it was sent, and gives how
   * many these were.
   */
  quiesce(node: string): Promise<number>;
  /**
   * Releases what ovn-controller of a node makes known by itself, for the `copy`th time, once it
   * has come: nothing, where it does not come when it has to.
   */
  announce(which: {
    readonly node: string;
    readonly copy: number;
    readonly address?: string;
  }): Promise<void>;
  /** From now on nothing has been released. */
  announceAgain(): void;
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
    return runningOvn(zones, image, schema, stopping, stop);
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
  return { zone, replicas, chassis, ended: new Set(), zones: new Map(), wanted: { rows: [] } };
}

function runningOvn(
  zones: readonly RunningZone[],
  image: Image,
  schema: Schema,
  stopping: (() => Promise<void>)[],
  stop: () => Promise<void>,
): Ovn {
  const whileAlive = <T>(work: Promise<T>): Promise<T> =>
    daemonsOf(zones).reduce((watched, daemon) => daemon.whileAlive(watched), work);
  let sources: readonly FlowSource[] = [];
  let known = knownFlows(sources);
  const conjunctions = new Map<string, ConjunctionNames>();
  const nameConjunctions = (
    { node, bridge }: Pick<ChassisPlan, 'node' | 'bridge'>,
    flows: readonly string[],
  ) => {
    const names = conjunctionNames(renameCookies(flows.filter(isOfConjunction), sources));
    conjunctions.set(`${node} ${bridge}`, names);
  };
  return {
    versions: versionsOf(zones),
    get daemons() {
      return daemonsOf(zones);
    },
    whileAlive,
    checkAlive: async () =>
      void (await Promise.all(daemonsOf(zones).map((one) => one.checkAlive()))),
    ...restartingOf(zones, image, stopping),
    sources: () => sources,
    conjunctions: (node, bridge) => conjunctions.get(`${node} ${bridge}`) ?? new Map(),
    renumbered: async () => {
      if ([...conjunctions.values()].every(({ size }) => size === 0)) return;
      await whileAlive(awaitAll(zones.map((one) => quiesceZone(one, usualLimitMs))));
      for (const { vswitch, plan } of zones.flatMap(({ chassis }) => chassis)) {
        const { flows } = await whileAlive(dumpBridge(image, vswitch, plan.bridge));
        nameConjunctions(plan, flows);
      }
    },
    quiesce: async (node) => {
      const chassis = zones.flatMap(runningChassis).find(({ plan }) => plan.node === node);
      return chassis === undefined ? 0 : await chassis.whileAlive(chassis.relay.quiesce());
    },
    ...announcingOf(zones),
    recompute: async () =>
      void (await whileAlive(awaitAll(zones.map((one) => recomputeZone(one, usualLimitMs))))),
    traceLogically: async (packets) => {
      const said = new Map<LogicalPacket, LogicalTrace>();
      for (const running of zones) {
        const own = packets.filter(({ node }) => zoneOf(zones, node) === running);
        const traces = await askOvnTrace(image, running.zone, own, known);
        for (const [index, trace] of traces.entries()) said.set(own[index] as LogicalPacket, trace);
      }
      return packets.map((packet) => said.get(packet) as LogicalTrace);
    },
    apply: async (plan, limitMs = usualLimitMs) => {
      const compiled = await whileAlive(
        awaitAll(
          plan.zones.map(async (wanted) => {
            const running = zoneCalled(zones, wanted.name);
            return await withLogs(
              applyToZone(wanted, running, image, schema, limitMs),
              running.zone.northd,
              running.chassis.map(({ plan: { node }, controller }) => ({ node, ...controller })),
            );
          }),
        ),
      );
      sources = (await whileAlive(awaitAll(zones.map((one) => sourcesOfZone(one, schema))))).flat();
      known = knownFlows(sources);
      return compiled.flat().map((chassis) => {
        nameConjunctions(chassis, chassis.program.flows);
        const made = canonicalProgram(chassis.program, sources);
        const [flows, groups] = [made.flows.toSorted(), made.groups.toSorted()];
        const program = { ...chassis.program, flows, groups, sources: sourcesIn(flows, sources) };
        return { ...chassis, program };
      });
    },
    stop,
  };
}

function announcingOf(zones: readonly RunningZone[]): Pick<Ovn, 'announce' | 'announceAgain'> {
  return {
    announce: async ({ node, copy, address }) => {
      if (zoneOf(zones, node).ended.has(node)) return;
      const { whileAlive, announcing, relay } = chassisOf(zones, node);
      await whileAlive(announcing.release(copy, address));
      await whileAlive(relay.quiesce());
    },
    announceAgain: () => {
      for (const { announcing } of zones.flatMap(({ chassis }) => chassis)) announcing.begin();
    },
  };
}
