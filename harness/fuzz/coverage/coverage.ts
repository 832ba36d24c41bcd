/**
 * What the packets of cases met: fields that were matched, written and read, actions that were
 * executed, protocols.
 */
import type { FlowCount } from '../../domain/switching.js';
import type { Action, Subfield } from '../../openflow/actions/actions.js';
import { flowId, type Flow } from '../../openflow/flows/flow.js';
import type { Group } from '../../openflow/groups/group.js';
import { printPort, reservedPorts } from '../../openflow/syntax/ports.js';
import { flowKey } from '../../compare/compare-counters.js';
import { readFlow, readGroup, type CaseStep, type FuzzCase } from '../fuzz-case.js';
import { nodeOf, programsOf } from '../fuzz-network.js';
import { protocolsOf } from './protocols.js';

export const uses = ['exactly', 'masked', 'written', 'read'] as const;
export type Use = (typeof uses)[number];

/** How often, by name: `reg0 masked`, `push_vlan`, `IPv6 fragment`. */
export interface Coverage {
  readonly fields: Map<string, number>;
  readonly actions: Map<string, number>;
  readonly protocols: Map<string, number>;
  /** What was done beside packets. */
  readonly operations: Map<string, number>;
}

export function noCoverage(): Coverage {
  return { fields: new Map(), actions: new Map(), protocols: new Map(), operations: new Map() };
}

/**
 * Adds what a case met. A flow was met where the switch counted packets of it; of its actions those
 * count that stand before an `exit`, and of the groups that they name, the buckets of those that
 * execute all.
 */
export function addCoverage(
  coverage: Coverage,
  fuzzCase: FuzzCase,
  played: readonly number[],
  counts: readonly FlowCount[],
): void {
  const counted = new Map(counts.map(({ flow, packets }) => [flowKey(flow), packets]));
  const groups = new Map(fuzzCase.groups.map(readGroup).map((group) => [group.id, group]));
  const held = programsOf(fuzzCase).flatMap(({ at, flows }) => flows.map((text) => ({ at, text })));
  for (const { at, text } of held) {
    const flow = readFlow(text);
    const packets = counted.get(flowKey(flowId(nodeOf(at), at, flow))) ?? 0;
    if (packets === 0) continue;
    addFlow(coverage, flow, groups, packets);
    for (const [word = ''] of text.matchAll(sentAsOthers)) add(coverage.actions, word, packets);
  }
  for (const index of played) {
    const step = fuzzCase.steps[index];
    if (step?.kind === 'packet')
      for (const name of protocolsOf(step.frame)) add(coverage.protocols, name, 1);
    else if (step !== undefined) add(coverage.operations, operationOf(step), 1);
  }
}

function operationOf(step: Exclude<CaseStep, { kind: 'packet' }>): string {
  switch (step.kind) {
    case 'advance':
      return 'advance';
    case 'change':
      return step.lines.map((line) => line.split(' ').slice(0, 2).join(' ')).join(', ');
    case 'link':
      return `link ${step.state}`;
    case 'flush':
      return step.tuple !== undefined
        ? 'flush of a connection'
        : step.zone !== undefined
          ? 'flush of a zone'
          : 'flush';
  }
}

/**
 * Actions that OpenFlow 1.5 has no messages for: a switch has others in their place, and only their
 * texts show it.
 */
const sentAsOthers = /\b(mod_vlan_vid|mod_vlan_pcp|enqueue)\b/g;

function addFlow(
  coverage: Coverage,
  { match, actions }: Flow,
  groups: ReadonlyMap<number, Group>,
  packets: number,
): void {
  for (const { field, mask } of match)
    add(coverage.fields, use(field.name, mask === field.ones ? 'exactly' : 'masked'), packets);
  addActions(coverage, actions, groups, packets);
  if (match.some(({ field }) => field.name === 'conj_id'))
    add(coverage.actions, 'conjunction', packets);
}

export function use(field: string, how: Use): string {
  return `${field} ${how}`;
}

function add(counts: Map<string, number>, name: string, more: number): void {
  counts.set(name, (counts.get(name) ?? 0) + more);
}

function addActions(
  coverage: Coverage,
  actions: readonly Action[],
  groups: ReadonlyMap<number, Group>,
  packets: number,
): void {
  const field = ({ field: { name } }: Subfield, how: Use) =>
    add(coverage.fields, use(name, how), packets);
  for (const action of actions) {
    for (const name of namesOf(action, groups)) add(coverage.actions, name, packets);
    if (action.kind === 'set') add(coverage.fields, use(action.field.name, 'written'), packets);
    if (action.kind === 'write_metadata') add(coverage.fields, use('metadata', 'written'), packets);
    if ('source' in action) field(action.source, 'read');
    if ('destination' in action && action.destination !== undefined)
      field(action.destination, 'written');
    if (action.kind === 'ct')
      addActions(
        coverage,
        action.exec.filter(({ kind }) => kind !== 'nat'),
        groups,
        packets,
      );
    if (action.kind === 'clone' || action.kind === 'write_actions')
      addActions(coverage, action.actions, groups, packets);
    if (action.kind === 'group') {
      const group = groups.get(action.group);
      if (group?.type === 'all' || group?.type === 'indirect')
        for (const bucket of group.buckets) addActions(coverage, bucket.actions, groups, packets);
    }
    if (action.kind === 'exit') return;
  }
}

/** A connection is looked up, and more or less is done with it. */
function namesOf(action: Action, groups: ReadonlyMap<number, Group>): readonly string[] {
  if (action.kind === 'learn')
    return [
      'learn',
      ...(action.deleteLearned ? ['learn with delete_learned'] : []),
      ...(action.limit > 0 ? ['learn with a limit'] : []),
    ];
  if (action.kind !== 'ct') return [nameOf(action, groups)];
  const nat = action.exec.find(({ kind }) => kind === 'nat');
  return [
    action.commit ? (action.force ? 'ct with force' : 'ct with commit') : 'ct',
    ...(typeof action.zone === 'number' ? [] : ['ct in the zone of a field']),
    ...(action.commit && action.table !== undefined ? ['ct with commit and table'] : []),
    ...(nat?.kind !== 'nat' ? [] : [nat.to === undefined ? 'nat' : `nat of ${nat.to.part}`]),
    ...(action.exec.some(({ kind }) => kind !== 'nat') ? ['ct with exec'] : []),
  ];
}

function nameOf(action: Action, groups: ReadonlyMap<number, Group>): string {
  switch (action.kind) {
    case 'group':
      return `group ${groups.get(action.group)?.type ?? ''}`;
    case 'output':
      return action.port < reservedPorts.UNSET ? 'output' : `output to ${printPort(action.port)}`;
    case 'controller':
      return action.userdata.length > 0 ? 'controller with userdata' : 'controller';
    case 'bundle':
      return `${action.destination === undefined ? 'bundle' : 'bundle_load'} ${action.algorithm}`;
    case 'multipath':
      return `multipath ${action.algorithm}`;
    case 'set_vlan':
      return `mod_vlan_${action.part}`;
    case 'goto':
      return 'goto_table';
    case 'set':
      return action.mask === undefined ? 'set_field' : 'set_field with a mask';
    default:
      return action.kind;
  }
}
