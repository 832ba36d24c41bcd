/** What the model alone makes of packets, one after the other. */
import type { Unsupported } from '../base/errors/errors.js';
import { explainFrame } from '../model/trace/explain-frame.js';
import { printKey } from '../model/fields/match-of.js';
import type { ModelNode } from '../model/model-node.js';
import { buildNode } from '../model/build-node.js';
import { stateOf } from '../model/state-of-node.js';
import type { NodePlan } from '../domain/plan/cluster-plan.js';
import type { SwitchState } from '../domain/switch-state.js';
import type { FlowId, PacketIn } from '../domain/switching.js';
import { once } from '../base/once-per.js';
import { printActions, type Action } from '../openflow/actions/actions.js';
import type { PacketStimulus } from './packet-stimulus.js';
import { differencesMet } from './datapath-differences.js';
import {
  actionsIn,
  reasonsIn,
  tablesOf,
  traceTreeOf,
  type TracedReason,
  type TracedTranslation,
} from './trace-tree.js';
import { type Version, newest } from '../model/behaviour.js';
import { word, type FlowKey } from '../packet/flow-key/flow-key.js';

export interface TraceResult {
  readonly stimulus: PacketStimulus;
  /** One translation after the other, in the order in which they began. */
  readonly translations: readonly PrintedTranslation[];
  readonly path: readonly TracedLookup[];
  /** The frames that came out, sorted by port; frames of one port in order. */
  readonly outputs: readonly TracedOutput[];
  readonly packetIns: readonly PacketIn[];
  /** The packet as the last translation left it, as ofproto/trace prints flows. */
  readonly finalFlow: string;
  /** What the switch remembers after it. */
  readonly state: SwitchState;
  /** Results of actions, and why the packet went where it went. */
  readonly reasons: readonly TracedReason[];
  /** What the kernel's datapath is known to do differently with such a packet. */
  readonly kernel: readonly string[];
  /** What the model does not know: the packet is followed up to there. */
  readonly refused?: Unsupported;
}

/** With the packet as it began and ended, as ofproto/trace prints flows. */
export interface PrintedTranslation extends TracedTranslation {
  readonly startFlow: string;
  readonly endFlow?: string;
}

/** A table that was looked up. */
export interface TracedLookup {
  readonly bridge: string;
  readonly table: number;
  /** Missing where no flow matched. */
  readonly flow?: { readonly id: FlowId; readonly actions: string };
}

export interface TracedOutput {
  readonly bridge: string;
  readonly port: string;
  readonly frame: Uint8Array;
  /** The packet as it left. */
  readonly flow: string;
}

/**
 * Sends the packets one after the other; what the switch remembers of one is there for the next.
 */
export function tracePackets(
  plan: NodePlan,
  stimuli: readonly PacketStimulus[],
  version: Version = newest,
): readonly TraceResult[] {
  const node = buildNode(plan, version);
  return stimuli.map((stimulus) => tracePacket(node, stimulus));
}

/** Sends one packet into a switch that continues from there. */
export function tracePacket(node: ModelNode, stimulus: PacketStimulus): TraceResult {
  const { steps, details, outputs, packetIns, refused } = explainFrame(node, {
    ...stimulus,
    ...(stimulus.thawed === undefined ? {} : { table: stimulus.thawed.table }),
  });
  /** To print takes longer than the packet does: only what somebody asks for is printed. */
  const printer = (bridge: string, key: FlowKey) => {
    const options = node.bridges.find(({ plan }) => plan.name === bridge)?.options;
    const own = key.slice();
    return once(() => printKey(own, options));
  };
  const translations = traceTreeOf(steps, details).map((translation) =>
    printedTranslation(translation, printer),
  );
  const path = tablesOf(translations.flatMap(({ nodes }) => nodes)).map(
    ({ bridge, table, flow, actions: listed = [] }) => ({
      bridge,
      table,
      ...(flow === undefined ? {} : { flow: tracedFlow(flow, listed) }),
    }),
  );
  const actions = translations.flatMap(({ nodes }) => actionsIn(nodes));
  const last = translations.at(-1);
  const reasons = translations.flatMap(({ bridge, nodes }) => reasonsIn(nodes, { bridge }));
  return {
    stimulus,
    translations,
    path,
    packetIns,
    state: stateOf(node),
    get finalFlow() {
      return last === undefined ? '' : (last.endFlow ?? last.startFlow);
    },
    outputs: outputs.map(({ port, frame, key }) => {
      const bridge = bridgeOf(node, port);
      const flow = printer(bridge, key);
      return {
        bridge,
        port,
        frame,
        get flow() {
          return flow();
        },
      };
    }),
    reasons,
    kernel: differencesMet({
      actions,
      meetsSelectGroup: actions.some(
        (action) =>
          action.kind === 'group' &&
          node.bridges.some(({ groups }) => groups.get(action.group)?.type === 'select'),
      ),
      starts: translations.map(({ start }) => start),
      isTunnelled: isTunnelled(node, stimulus, outputs, translations),
      recirculatesTooOften: steps.some(
        (step) => step.kind === 'drop' && step.why.endsWith(' recirculations'),
      ),
      reasons: reasons.map(({ text }) => text),
      longestFrame: Math.max(0, ...outputs.map(({ frame }) => frame.length)),
      isLater: node.nowMs > 0,
    }),
    ...(refused === undefined ? {} : { refused }),
  };
}

function printedTranslation(
  translation: TracedTranslation,
  printer: (bridge: string, key: FlowKey) => () => string,
): PrintedTranslation {
  const { bridge, start, end } = translation;
  const startFlow = printer(bridge, start);
  const endFlow = end === undefined ? undefined : printer(bridge, end);
  const printed = {
    ...translation,
    get startFlow() {
      return startFlow();
    },
  };
  if (endFlow === undefined) return printed;
  return Object.defineProperty(printed, 'endFlow', { enumerable: true, get: endFlow });
}

function tracedFlow(id: FlowId, listed: readonly Action[]) {
  const actions = once(() => printActions(listed));
  return {
    id,
    get actions() {
      return actions();
    },
  };
}

/** By a port that is known to lead into a tunnel, or with a tunnel's addresses beside it. */
function isTunnelled(
  { bridges }: ModelNode,
  { bridge, ofport }: PacketStimulus,
  outputs: readonly { readonly port: string; readonly key: FlowKey }[],
  [start]: readonly TracedTranslation[],
): boolean {
  return (
    outputs.some(({ key }) => hasTunnel(key)) ||
    (start !== undefined && hasTunnel(start.start)) ||
    bridges.some(({ plan }) =>
      plan.ports.some(
        (port) =>
          (port.kind === 'tunnel' || ('leadsInto' in port && port.leadsInto !== undefined)) &&
          (outputs.some(({ port: name }) => name === port.name) ||
            (plan.name === bridge && port.ofport === ofport)),
      ),
    )
  );
}

function hasTunnel(key: FlowKey): boolean {
  return key.subarray(word.tunSrc, word.tunIpv6Dst + 4).some((part) => part !== 0);
}

function bridgeOf({ bridges }: ModelNode, port: string): string {
  return (
    bridges.find(({ plan }) => plan.name === port || plan.ports.some(({ name }) => name === port))
      ?.plan.name ?? ''
  );
}
