/** Texts of flows and groups with a little less in them. */
import { InputError } from '../base/errors/errors.js';
import type { Action } from '../openflow/actions/actions.js';
import { parseFlow, printFlow, type Flow } from '../openflow/flows/flow.js';
import { parseGroup } from '../openflow/groups/parse-group.js';
import { printGroup } from '../openflow/groups/print-group.js';
import type { Group } from '../openflow/groups/group.js';
import { allowsField } from '../openflow/match/prerequisites.js';
import { noNames, type Names } from '../openflow/syntax/form.js';

/**
 * The flow with an action less, with less of its match, without a cookie; none of what does not
 * read as a flow.
 */
export function simplerFlows(text: string, names: Names): readonly string[] {
  return readable(() => {
    const flow = parseFlow(text, names);
    const variants: readonly Flow[] = [
      ...simplerLists(flow.actions).map((actions) => ({ ...flow, actions })),
      ...flow.match
        .map((entry) => flow.match.filter((other) => other !== entry))
        .map((match) => ({
          ...flow,
          match: match.filter(({ field }) => allowsField(match, field)),
        })),
      ...flow.match
        .filter(
          ({ field, mask }) =>
            mask !== field.ones && field.notation !== 'vlan' && field.notation !== 'fragment',
        )
        .map((entry) => ({
          ...flow,
          match: flow.match.map((other) =>
            other === entry ? { ...entry, mask: entry.field.ones } : other,
          ),
        })),
      ...(flow.cookie === 0n ? [] : [{ ...flow, cookie: 0n }]),
    ];
    return variants.map(printFlow).filter((other) => other !== text);
  });
}

/** The same of a bridge whose ports have names. */
export function simplerFlowsOn(
  text: string,
  ports: ReadonlyMap<string, number>,
): readonly string[] {
  return simplerFlows(text, { ...noNames, ports });
}

/** The group with a bucket less, or with an action less in one. */
export function simplerGroups(text: string, names: Names): readonly string[] {
  return readable(() => {
    const group = parseGroup(text, names);
    const variants: readonly Group[] = [
      ...group.buckets.map((bucket) => ({
        ...group,
        buckets: group.buckets.filter((other) => other !== bucket),
      })),
      ...group.buckets.flatMap((bucket) =>
        simplerLists(bucket.actions).map((actions) => ({
          ...group,
          buckets: group.buckets.map((other) =>
            other === bucket ? { ...bucket, actions } : other,
          ),
        })),
      ),
    ];
    return variants.map((other) => printGroup(other)).filter((other) => other !== text);
  });
}

/**
 * A list with one action less, or with one that holds others replaced by them or by fewer of them.
 */
function simplerLists(actions: readonly Action[]): readonly (readonly Action[])[] {
  return actions.flatMap((action, index) => {
    const put = (...instead: readonly Action[]) => [
      ...actions.slice(0, index),
      ...instead,
      ...actions.slice(index + 1),
    ];
    if (action.kind !== 'clone' && action.kind !== 'write_actions') return [put()];
    return [
      put(),
      put(...action.actions),
      ...simplerLists(action.actions).map((inner) => put({ ...action, actions: inner })),
    ];
  });
}

function readable(variants: () => readonly string[]): readonly string[] {
  try {
    return variants();
  } catch (error) {
    if (error instanceof InputError) return [];
    throw error;
  }
}
