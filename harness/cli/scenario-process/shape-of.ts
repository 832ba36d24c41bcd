import type { Scenario } from '../../domain/scenario.js';
import type { Shape } from './messages.js';
import { ownName } from './own-promises.js';

const members = [
  'name',
  'title',
  'axes',
  'topology',
  'after',
  'vectors',
  'timeline',
  'intent',
  'controlPlane',
] as const satisfies readonly (keyof Scenario)[];
const deepest = 6;

/** What a scenario has, for a process that runs none of its functions. */
export function shapeOf(scenario: Scenario): Shape {
  return {
    kind: 'object',
    members: Object.fromEntries(
      members
        .filter((name) => scenario[name] !== undefined)
        .map((name) => [name, shape(scenario[name], 0)]),
    ),
  };
}

function shape(value: unknown, depth: number): Shape {
  const name = ownName(value);
  if (name !== undefined) return { kind: 'own', name };
  if (typeof value === 'function') return { kind: 'function' };
  if (typeof value !== 'object' || value === null || Array.isArray(value) || depth > deepest)
    return { kind: 'data', value };
  return {
    kind: 'object',
    members: Object.fromEntries(
      Object.entries(value).map(([member, one]) => [member, shape(one, depth + 1)]),
    ),
  };
}
