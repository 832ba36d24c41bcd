/** Random selectors of labels and namespaces. */
import type { Random } from '../../harness/base/random.js';
import { chance, namespaces, pick, values } from './generated-values.js';

export function expressionOn(random: Random, known: readonly string[]): object {
  const some = known.slice(random.integer(0, known.length - 1));
  return pick<object>(random, [
    { operator: 'In', values: some },
    { operator: 'NotIn', values: some },
    { operator: 'Exists' },
    { operator: 'DoesNotExist' },
  ]);
}

export function namespaceSelector(random: Random): object {
  return pick<object>(random, [
    {},
    { matchLabels: { team: pick(random, values.team) } },
    {
      matchExpressions: [
        { key: 'kubernetes.io/metadata.name', ...expressionOn(random, namespaces) },
      ],
    },
  ]);
}

export function selector(random: Random): object {
  if (chance(random, 20)) return {};
  const key = pick(random, Object.keys(values) as (keyof typeof values)[]);
  const expression = { key, ...expressionOn(random, values[key]) };
  return pick<object>(random, [
    { matchLabels: { [key]: pick<string>(random, values[key]) } },
    { matchExpressions: [expression] },
    { matchLabels: { app: pick(random, values.app) }, matchExpressions: [expression] },
  ]);
}

export function selection(random: Random): object {
  return pick<() => object>(random, [
    () => ({ podSelector: selector(random) }),
    () => ({ namespaceSelector: namespaceSelector(random) }),
    () => ({ podSelector: selector(random), namespaceSelector: namespaceSelector(random) }),
  ])();
}
