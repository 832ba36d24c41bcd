/** What drives and observes the switches of one running node. */
import type { NodePlan } from '../../domain/plan/cluster-plan.js';
import type { BridgePlan } from '../../domain/plan/bridge-plan.js';
import type { Ofctl } from '../../ovs/openflow/ofctl.js';
import type { Vswitch } from '../../ovs/vswitch.js';
import { neverCached, type ProgramUse } from '../ovs-switches.js';
import type { NodeParts } from './configure/change-node.js';
import type { Devices } from './devices.js';
import { linksOf } from './configure/links.js';
import { withMasksOf } from './observe/with-masks.js';
import type { Underlay } from './configure/underlay.js';
import { connectionsOf, type Connections } from './observe/connections.js';
import type { Controllers } from './observe/controllers.js';
import { flowCountersOf, type FlowCounters } from './observe/flow-counters.js';
import { programStateOf, type ProgramState } from './observe/program-state.js';
import { learnedAddressesOf, type LearnedAddresses } from './quiesce/learned-addresses.js';
import { learnWatchOf, type LearnWatch } from './quiesce/learn-watch.js';
import { neighboursOf, type Neighbours } from './quiesce/native-tunnel-neighbours.js';
import { quiesceOf, type Quiesce } from './quiesce/quiesce.js';
import { revalidationOf, type Revalidation } from './quiesce/revalidation.js';
import type { Wire } from './traffic/port-socket.js';
import { trafficOf } from './traffic/traffic.js';

export interface NodeInstruments extends NodeParts, ProgramInstruments {
  /** The node as it is now: `reconfigure` replaces it. */
  plan: NodePlan;
  /**
   * Whether anything was done to the switches since the last reset. Where nothing was, nothing is
   * read: every way in is ours, and should a counter rise all the same, it shows in the next vector
   * that touches the node. `counted`: nothing since the flows were counted. `never`: nothing since
   * the node came up, and no reset has been before.
   */
  touched: 'never' | 'no' | 'counted' | 'yes';
  readonly ofctl: Ofctl;
  readonly underlay: Underlay;
  readonly use: ProgramUse;
  readonly revalidation: Revalidation;
  readonly neighbours: Neighbours;
  readonly learnedAddresses: LearnedAddresses;
  /** Bridges with multicast snooping. */
  readonly snooping: readonly BridgePlan[];
}

/** What is made for the flows that the node holds: others take their place with other flows. */
export interface ProgramInstruments {
  connections: Connections;
  flowCounters: FlowCounters;
  programs: ProgramState;
  quiesce: Quiesce;
  learnWatch: LearnWatch;
}

/** A node's daemons, and what is attached to them from outside. */
export interface NodeAttachments {
  readonly vswitch: Vswitch;
  readonly ofctl: Ofctl;
  readonly use: ProgramUse;
  readonly touched: NodeInstruments['touched'];
  readonly devices: Devices;
  readonly wires: Wire[];
  readonly controllers: Controllers;
  readonly underlay: Underlay;
}

export function instrumentsOf(
  planned: NodePlan,
  { vswitch, ofctl, use, touched, devices, wires, controllers, underlay }: NodeAttachments,
): NodeInstruments {
  const { unixctl } = vswitch.vswitchd;
  const plan = (): NodePlan => instruments.plan;
  const links = linksOf(plan, unixctl, devices);
  const revalidation = revalidationOf(vswitch);
  const query = async () => {
    await Promise.all([neighbours.query(), learnedAddresses.query()]);
  };
  const traffic = trafficOf(
    planned.node,
    vswitch,
    devices,
    wires,
    controllers,
    links.isDown,
    query,
    use,
  );
  const round = async () => {
    await vswitch.whileAlive(revalidation.rounds(1));
    await traffic.quiet();
  };
  const neighbours = neighboursOf(plan, unixctl, round);
  /** Where nothing is cached, nothing has to follow what is learned. */
  const forwarding = () =>
    plan()
      .bridges.map(({ name }) => name)
      .filter((name) => use !== neverCached && instruments.programs.forwardsAt(name));
  const learnedAddresses = learnedAddressesOf(forwarding, unixctl, round);
  const instruments: NodeInstruments = {
    plan: planned,
    touched,
    vswitch,
    ofctl,
    use,
    devices,
    wires,
    underlay,
    links,
    revalidation,
    traffic,
    neighbours,
    learnedAddresses,
    ...programInstrumentsOf(
      planned,
      { vswitch, devices, ofctl, use, revalidation, traffic, neighbours, learnedAddresses },
      plan,
    ),
    snooping: planned.bridges.filter(({ multicastSnooping }) => multicastSnooping !== undefined),
  };
  return instruments;
}

/** @param current the node's plan as it is whenever it is asked for. */
export function programInstrumentsOf(
  planned: NodePlan,
  {
    vswitch,
    devices,
    ofctl,
    use,
    revalidation,
    traffic,
    neighbours,
    learnedAddresses,
  }: Omit<NodeAttachments, 'touched' | 'wires' | 'controllers' | 'underlay'> &
    Pick<NodeInstruments, 'revalidation' | 'traffic' | 'neighbours' | 'learnedAddresses'>,
  current: () => NodePlan,
): ProgramInstruments {
  const { unixctl } = vswitch.vswitchd;
  const flowCounters = flowCountersOf(planned, unixctl);
  const programs = programStateOf(planned, withMasksOf(ofctl, unixctl), use);
  return {
    flowCounters,
    programs,
    connections: connectionsOf(planned, unixctl, devices.trackerClock),
    quiesce: quiesceOf(planned, use, programs, flowCounters, revalidation, vswitch),
    learnWatch: learnWatchOf(
      {
        plan: current,
        lookups: traffic.lookups,
        answered: traffic.answered,
        ways: () => `${learnedAddresses.moved()} ${neighbours.seen()}`,
      },
      unixctl,
      programs,
    ),
  };
}
