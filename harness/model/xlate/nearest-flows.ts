/** The flows of a table that a packet which matches none of them came closest to. */
import type { NearestFlow } from '../../domain/location.js';
import type { FieldMatch } from '../../openflow/match/field-match.js';
import { printMatch } from '../../openflow/match/print-match.js';
import type { FlowKey } from '../../packet/flow-key/flow-key.js';
import { readField } from '../fields/field-values.js';
import { isExtracted } from '../fields/supported-fields.js';
import { idOf, type ModelNode } from '../model-node.js';
import type { ModelBridge } from '../model-bridge.js';
import type { Rule } from '../tables/flow-tables.js';

const shown = 3;

/** At most three, those first of which the fewest fields differ, then by priority. */
export function nearestFlows(
  node: ModelNode,
  bridge: ModelBridge,
  table: number,
  key: FlowKey,
): readonly NearestFlow[] {
  const rules = bridge.tables.get(table)?.rules ?? [];
  return rules
    .map((rule) => ({ rule, unmet: unmetIn(rule, key) }))
    .filter(({ unmet }) => unmet.length > 0)
    .sort((a, b) => a.unmet.length - b.unmet.length)
    .slice(0, shown)
    .map(({ rule, unmet }) => ({
      flow: idOf(node, bridge, rule),
      needs: unmet.map((one) => describeUnmet(one, key)).join(' and '),
    }));
}

function unmetIn({ match }: Rule, key: FlowKey): readonly FieldMatch[] {
  return match.filter(
    ({ field, value, mask }) =>
      isExtracted(field) && (readField(key, field) & mask) !== (value & mask),
  );
}

function describeUnmet(entry: FieldMatch, key: FlowKey): string {
  const { field, mask } = entry;
  const has = printMatch([{ field, mask, value: readField(key, field) & mask }]);
  return `${printMatch([entry])}, the packet has ${has}`;
}
