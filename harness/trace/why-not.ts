/** Why a packet did not take a certain flow. */
import { InputError } from '../base/errors/errors.js';
import { readField } from '../model/fields/field-values.js';
import type { NodePlan } from '../domain/plan/cluster-plan.js';
import { formatFlowId, type FlowId } from '../domain/switching.js';
import { parseAllFlows } from '../openflow/bridge-program.js';
import { flowId, parseFlow, printFlow, type Flow } from '../openflow/flows/flow.js';
import { noNames } from '../openflow/syntax/form.js';
import { printMatch } from '../openflow/match/print-match.js';
import { printMasked } from '../openflow/match/masked-values.js';
import type { FlowKey } from '../packet/flow-key/flow-key.js';
import type { DumpedSwitch } from '../dumps/dumped-switch.js';
import { tablesOf, type TracedTable, type TracedTranslation } from './trace-tree.js';

/** A flow of one bridge that is asked about. */
export interface QueriedFlow {
  readonly bridge: string;
  readonly flow: Flow;
  readonly id: FlowId;
}

export interface WhyNot {
  readonly flow: FlowId;
  /** One answer each time the flow's table was looked up on its bridge; none where it never was. */
  readonly lookups: readonly LookupAnswer[];
}

export type LookupAnswer =
  | { readonly kind: 'taken' }
  /** In these fields the packet differed. */
  | { readonly kind: 'no match'; readonly fields: readonly DifferingField[] }
  /** It matched, and is a part of conjunctions: such a flow is never taken itself. */
  | { readonly kind: 'clause' }
  /** It matched, and another one won. */
  | { readonly kind: 'outranked'; readonly by: FlowId };

export interface DifferingField {
  readonly field: string;
  /** What the packet had, and what the flow wants, as ovs-ofctl prints values and masks. */
  readonly packet: string;
  readonly flow: string;
}

/**
 * The flow of the tables that `text` names: `table=9,priority=100,tcp,tp_dst=80`; the priority may
 * be left out where it is the only one.
 * @param bridge the only one that has such a flow, where none is named.
 * @throws InputError for text that is no flow, and where there is not exactly one such flow.
 */
export function findFlow(
  text: string,
  { plan, names }: DumpedSwitch,
  bridge: string | undefined,
): QueriedFlow {
  const complete = /(^|[\s,])actions\s*=/.test(text) ? text : `${text} actions=drop`;
  const hasPriority = /(^|[\s,])priority\s*=/.test(text);
  const found = plan.bridges
    .filter(({ name }) => bridge === undefined || name === bridge)
    .map((candidate) => {
      const asked = parseFlow(complete, names.get(candidate.name) ?? noNames, {
        file: '--why-not',
        line: 1,
      });
      const inTable = parseAllFlows(plan.node, candidate).filter(
        ({ table }) => table === asked.table,
      );
      const same = inTable.filter((flow) => printMatch(flow.match) === printMatch(asked.match));
      return {
        asked,
        inTable,
        same: same
          .filter(({ priority }) => !hasPriority || priority === asked.priority)
          .map((flow) => queriedFlow(plan, candidate.name, flow)),
        sameMatch: same,
      };
    });
  const all = found.flatMap(({ same }) => same);
  const [flow, ...more] = all;
  if (flow !== undefined && more.length === 0) return flow;
  if (flow !== undefined)
    throw new InputError(
      '--why-not: several flows are called so: ' +
        all.map(({ id }) => `${id.bridge} ${formatFlowId(id)}`).join('; '),
    );
  const candidates = found.flatMap(({ sameMatch }) => sameMatch).map(printFlow);
  const table = found[0]?.asked.table ?? 0;
  const there = found.flatMap(({ inTable }) => inTable).length;
  throw new InputError(
    `--why-not: there is no flow "${text}": ` +
      (candidates.length > 0
        ? `with that match there is ${candidates.join('; ')}`
        : `table ${table} has ${there} flows, none with that match`),
  );
}

function queriedFlow(plan: NodePlan, bridge: string, flow: Flow): QueriedFlow {
  return { bridge, flow, id: flowId(plan.node, bridge, flow) };
}

/** Inspects every lookup in the flow's table, and the packet as it was then. */
export function whyNot(query: QueriedFlow, translations: readonly TracedTranslation[]): WhyNot {
  const lookups = tablesOf(translations.flatMap(({ nodes }) => nodes)).filter(
    ({ bridge, table }) => bridge === query.bridge && table === query.flow.table,
  );
  return { flow: query.id, lookups: lookups.map((lookup) => answerFor(query, lookup)) };
}

function answerFor({ id, flow }: QueriedFlow, { key, flow: winner }: TracedTable): LookupAnswer {
  if (winner !== undefined && formatFlowId(winner) === formatFlowId(id)) return { kind: 'taken' };
  const fields = differing(flow, key);
  if (fields.length === 0 && flow.actions.some(({ kind }) => kind === 'conjunction'))
    return { kind: 'clause' };
  return fields.length === 0 && winner !== undefined
    ? { kind: 'outranked', by: winner }
    : { kind: 'no match', fields };
}

function differing(flow: Flow, key: FlowKey): readonly DifferingField[] {
  return flow.match.flatMap((entry) => {
    const { field, mask, value } = entry;
    const has = readField(key, field);
    return (has & mask) === value
      ? []
      : [
          {
            field: field.matchName,
            packet: printMasked(field, { value: has, mask: field.ones }),
            flow: printMasked(field, entry),
          },
        ];
  });
}
