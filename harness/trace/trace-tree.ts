/**
 * The tree that `ovs-appctl ofproto/trace` has made people used to: bridge, table, flow, actions,
 * and the result of each (ovs-vswitchd(8)).
 */
import type { Detail } from '../model/trace/trace-detail.js';
import type { TraceStep } from '../model/trace/trace.js';
import type { FlowId } from '../domain/switching.js';
import { printActions, type Action } from '../openflow/actions/actions.js';
import type { FlowKey } from '../packet/flow-key/flow-key.js';

/**
 * One translation: from where the packet came in, or was thawed, until it left, ended or was
 * frozen.
 */
export interface TracedTranslation {
  readonly bridge: string;
  readonly start: FlowKey;
  readonly nodes: readonly TraceNode[];
  /** The packet as the actions left it; missing where the model gave up before. */
  readonly end?: FlowKey;
}

export type TraceNode = TracedTable | TracedAction | TracedNote;

export interface TracedTable {
  readonly kind: 'table';
  readonly bridge: string;
  readonly table: number;
  /** The packet as the table saw it. */
  readonly key: FlowKey;
  /** Missing where no flow matched. */
  readonly flow?: FlowId;
  /** Those of the flow, as they are listed. */
  readonly actions?: readonly Action[];
  readonly nodes: readonly TraceNode[];
}

export interface TracedAction {
  readonly kind: 'action';
  readonly text: string;
  /** Missing where no flow matched, or one without actions did. */
  readonly action?: Action;
}

/** The result of an action; `end`: the packet, or the action, went no further. */
export interface TracedNote {
  readonly kind: 'note' | 'end';
  readonly text: string;
}

interface TreeBuilder {
  readonly tables: { readonly nodes: TraceNode[] }[];
  readonly translation: { bridge: string; start: FlowKey; nodes: TraceNode[]; end?: FlowKey };
}

/** The steps of one packet with their details, as they followed each other. */
export function traceTreeOf(
  steps: readonly TraceStep[],
  details: readonly Detail[],
): readonly TracedTranslation[] {
  const builders: TreeBuilder[] = [];
  let seen: FlowKey = new Uint32Array();
  let listed: readonly Action[] = [];
  const addNode = (node: TraceNode) => {
    const builder = builders.at(-1);
    (builder?.tables.at(-1)?.nodes ?? builder?.translation.nodes)?.push(node);
  };
  for (const event of inOrder(steps, details)) {
    const builder = builders.at(-1);
    switch (event.kind) {
      case 'begin':
        builders.push({
          tables: [],
          translation: { bridge: event.bridge, start: event.key, nodes: [] },
        });
        break;
      case 'finish':
        if (builder !== undefined) builder.translation.end = event.key;
        break;
      case 'look':
        seen = event.key;
        break;
      case 'found':
        listed = event.actions;
        break;
      case 'lookup': {
        const { bridge, table, flow } = event;
        const nodes: TraceNode[] = flow === undefined ? [{ kind: 'action', text: 'drop' }] : [];
        addNode({
          kind: 'table',
          bridge,
          table,
          key: seen,
          nodes,
          ...(flow === undefined ? {} : { flow, actions: listed }),
        });
        if (flow !== undefined) builder?.tables.push({ nodes });
        break;
      }
      case 'leave':
        builder?.tables.pop();
        break;
      case 'action':
        addNode({ kind: 'action', text: printActions([event.action]), action: event.action });
        break;
      case 'remark':
        addNode({ kind: 'note', text: event.text });
        break;
      default:
        for (const node of noteOf(event)) addNode(node);
    }
  }
  return builders.map(({ translation }) => translation);
}

function* inOrder(
  steps: readonly TraceStep[],
  details: readonly Detail[],
): Generator<TraceStep | Detail> {
  let next = 0;
  for (const detail of details) {
    yield* steps.slice(next, detail.after);
    next = Math.max(next, detail.after);
    yield detail;
  }
  yield* steps.slice(next);
}

/** The action itself shows what it writes. */
function noteOf(step: Exclude<TraceStep, { readonly kind: 'lookup' }>): readonly TraceNode[] {
  switch (step.kind) {
    case 'write':
      return [];
    case 'output':
      return step.by === undefined
        ? []
        : [{ kind: 'note', text: `${step.by}: output to ${step.port}` }];
    case 'group':
      return [{ kind: 'note', text: `bucket ${step.bucket} of group ${step.group}` }];
    case 'controller':
      return [
        {
          kind: 'note',
          text: `packet-in for controllers with id ${step.controller}: ${step.reason}`,
        },
      ];
    case 'patch':
      return [{ kind: 'note', text: `through a patch port, into ${step.port} of ${step.bridge}` }];
    case 'answer':
      return [
        {
          kind: 'note',
          text: `the device of ${step.bridge} answers it: the answer comes in at its LOCAL port`,
        },
      ];
    case 'drop':
      // Without a flow no table matched: that is shown where it was looked up.
      if (step.flow === undefined && step.why.startsWith('no flow of table')) return [];
      return [
        step.why === 'the flow says drop'
          ? { kind: 'action', text: 'drop' }
          : { kind: 'end', text: step.why },
      ];
  }
}

/** The actions that were executed, in order. */
export function actionsIn(nodes: readonly TraceNode[]): readonly Action[] {
  return nodes.flatMap((node): readonly Action[] => {
    if (node.kind === 'table') return actionsIn(node.nodes);
    return node.kind === 'action' && node.action !== undefined ? [node.action] : [];
  });
}

/** A result of an action, or why something is as it is, and the table that it stands in. */
export interface TracedReason {
  readonly bridge: string;
  /** Missing where it is about the packet as a whole. */
  readonly table?: number;
  readonly text: string;
}

export function reasonsIn(
  nodes: readonly TraceNode[],
  place: Pick<TracedReason, 'bridge' | 'table'>,
): readonly TracedReason[] {
  return nodes.flatMap((node): readonly TracedReason[] => {
    switch (node.kind) {
      case 'table':
        return reasonsIn(node.nodes, { bridge: node.bridge, table: node.table });
      case 'action':
        return [];
      case 'note':
      case 'end':
        return [{ ...place, text: node.text }];
    }
  });
}

/** Every table that was looked up, in order. */
export function tablesOf(nodes: readonly TraceNode[]): readonly TracedTable[] {
  return nodes.flatMap((node) => (node.kind === 'table' ? [node, ...tablesOf(node.nodes)] : []));
}
