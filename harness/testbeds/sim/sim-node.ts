/**
 * One node of the sim testbed: real daemons, with a wire of ours at every port and the clock in our
 * hand.
 */
import type { NodePlan } from '../../domain/plan/cluster-plan.js';
import type { CountedWork } from '../../domain/work.js';
import type { SwitchState } from '../../domain/switch-state.js';
import type {
  FlowCount,
  CacheLookups,
  Reconfiguration,
  SwitchStep,
} from '../../domain/switching.js';
import type { Version } from '../../ovs/openflow/openflow-messages.js';
import type { Vswitch } from '../../ovs/vswitch.js';
import { neverCached } from '../ovs-switches.js';
import type { LateFrame } from '../testbed.js';
import { changePermanently, changePorts, changeSwitches } from './change-switches.js';
import { advanceTime, receiveFrames, takeAnnounced } from './node-calls.js';
import type { Answered } from './observe/controllers.js';
import type { NodeInstruments } from './node-instruments.js';
import { reprogram } from './reprogram.js';
import { countedWorkOf } from './observe/counted-work.js';
import { switchStateOf } from './observe/switch-state.js';
import { resetSwitches } from './reset-switches.js';

export type NodeChange = Exclude<Reconfiguration, { readonly kind: 'join' | 'leave' }>;

export interface SimNode {
  readonly name: string;
  readonly vswitch: Vswitch;
  /** @param areApart no frame leads to anything that decides over another one of them. */
  receive(port: string, frames: readonly Uint8Array[], areApart?: true): Promise<SwitchStep>;
  advance(ms: number): Promise<SwitchStep>;
  /** What comes out of packets that ovn-controller has put into its bridge by now. */
  takeAnnounced(): Promise<SwitchStep>;
  change(bridge: string, lines: readonly string[]): Promise<SwitchStep>;
  link(port: string, state: 'up' | 'down'): Promise<SwitchStep>;
  flush(which: { readonly zone?: number; readonly tuple?: string }): Promise<SwitchStep>;
  /**
   * The node as it is afterwards; this one is of no use any more. When it fails, this one is still
   * to be closed.
   */
  reconfigure(change: NodeChange): Promise<SimNode>;
  reset(): Promise<void>;
  counts(): Promise<readonly FlowCount[]>;
  assertUndisturbed(): Promise<void>;
  /**
   * The node once others have programmed its switch as in `plan`, and made tunnels; this one is of
   * no use any more.
   */
  adopt(plan: NodePlan, answered: Answered): Promise<SimNode>;
  purge(): Promise<void>;
  state(): Promise<SwitchState>;
  lookups(): CacheLookups;
  countedWork(): Promise<CountedWork | undefined>;
  lateFrames(): Promise<readonly LateFrame[]>;
  /** Their names. */
  bridges(): readonly string[];
  ofctl(bridge: string, command: string, ...args: readonly string[]): Promise<string>;
  ask(command: string, ...args: readonly string[]): Promise<string>;
  dumpFlows(bridge: string): Promise<string>;
  bundle(bridge: string, lines: readonly string[]): Promise<void>;
  send(bridge: string, version: Version, messages: readonly Uint8Array[]): Promise<void>;
  close(): Promise<void>;
}

/** How a node ends, and how it becomes another. */
export interface NodeLifecycle extends Pick<SimNode, 'close' | 'adopt'> {
  restart(change: Extract<NodeChange, { readonly kind: 'restart' }>): Promise<SimNode>;
}

export function simNodeOf(instruments: NodeInstruments, lifecycle: NodeLifecycle): SimNode {
  const { close, adopt, restart } = lifecycle;
  const { vswitch, connections, flowCounters, links, programs, traffic, use } = instruments;
  const { node: name } = instruments.plan;
  const begun = firstTouch(instruments);
  const node: SimNode = {
    name,
    vswitch,
    close,
    adopt,
    receive: begun((port: string, frames: readonly Uint8Array[], areApart?: true) =>
      receiveFrames(instruments, port, frames, areApart),
    ),
    advance: begun((ms: number) => advanceTime(instruments, ms)),
    takeAnnounced: begun(() => takeAnnounced(instruments)),
    change: begun((bridge: string, lines: readonly string[]) =>
      changeSwitches(instruments, async () => {
        await programs.save();
        programs.noteChange(bridge, lines);
        await instruments.ofctl.bundle(bridge, lines);
      }),
    ),
    link: begun((port: string, state: 'up' | 'down') =>
      changeSwitches(instruments, () => links.set(port, state)),
    ),
    flush: begun((which: Parameters<SimNode['flush']>[0]) =>
      changeSwitches(instruments, () => connections.flush(which)),
    ),
    reconfigure: begun(async (change: NodeChange) => {
      if (change.kind === 'restart') return await restart(change);
      if (change.kind === 'programmed') {
        await reprogram(instruments, change.plan);
        return simNodeOf(instruments, lifecycle);
      }
      await changeSwitches(instruments, () => changePorts(instruments, change));
      return node;
    }),
    reset: async () => {
      if (instruments.touched === 'never') await instruments.underlay.restore();
      else await resetSwitches(instruments);
    },
    counts: begun(async () => {
      if (instruments.touched === 'no') return flowCounters.zeros();
      if (use === neverCached) await traffic.quiet();
      const counts = await flowCounters.since();
      instruments.touched = 'counted';
      return counts;
    }),
    assertUndisturbed: () => instruments.underlay.assertUndisturbed(),
    purge: begun(async () => void (use !== neverCached && (await flowCounters.purge()))),
    state: begun(() => switchStateOf(instruments)),
    lookups: traffic.lookups,
    countedWork: begun(() => vswitch.whileAlive(countedWorkOf(vswitch.vswitchd.unixctl.call))),
    lateFrames: async () => {
      const isUntouched = instruments.touched === 'no' || instruments.touched === 'never';
      await (isUntouched ? vswitch.checkAlive() : traffic.quiet());
      return traffic.take().outputs.map((output) => ({ node: name, ...output }));
    },
    ask: begun((command: string, ...args: readonly string[]) =>
      vswitch.whileAlive(vswitch.vswitchd.unixctl.call(command, ...args)),
    ),
    bridges: () => instruments.plan.bridges.map((bridge) => bridge.name),
    ...programmingOf(instruments, begun),
  };
  return node;
}

type Begun = <A extends readonly unknown[], R>(
  work: (...args: A) => Promise<R>,
) => (...args: A) => Promise<R>;

/**
 * Work before which the first reset has been: what that reads of a node is read when somebody
 * touches it, since of many nodes most are never touched.
 */
function firstTouch(instruments: NodeInstruments): Begun {
  let beginning: Promise<void> | undefined;
  return (work) =>
    async (...args) => {
      if (instruments.touched === 'never') await (beginning ??= resetSwitches(instruments));
      return await work(...args);
    };
}

/** OpenFlow behind the back of the plan. */
function programmingOf(
  instruments: NodeInstruments,
  begun: Begun,
): Pick<SimNode, 'dumpFlows' | 'bundle' | 'send' | 'ofctl'> {
  const { vswitch, ofctl, programs, flowCounters } = instruments;
  return {
    dumpFlows: begun(async (bridge: string) => {
      await flowCounters.purge();
      return await vswitch.whileAlive(ofctl.run(bridge, 'dump-flows', '--no-names'));
    }),
    bundle: begun((bridge: string, lines: readonly string[]) =>
      changePermanently(instruments, async () => {
        programs.noteChange(bridge, lines);
        await ofctl.bundle(bridge, lines);
        programs.noteApplied(bridge, lines);
      }),
    ),
    send: begun((bridge: string, version: Version, messages: readonly Uint8Array[]) =>
      changePermanently(instruments, () => ofctl.send(bridge, vswitch.vswitchd, version, messages)),
    ),
    ofctl: begun((bridge: string, command: string, ...args: readonly string[]) =>
      changePermanently(instruments, () => {
        programs.noteChange(bridge, args);
        return ofctl.run(bridge, command, ...args);
      }),
    ),
  };
}
