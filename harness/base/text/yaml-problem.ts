/** What a schema refuses in a YAML document, in words. */
/** Keys and indices that lead to a value. */

import type { z } from 'zod';
import { unknownName } from '../errors/errors.js';

/** Keys and indices that lead to a value. */
export type Path = readonly (string | number)[];

/** Something wrong with a value, or, where `of` says so, with its key. */
export interface YamlProblem {
  readonly path: Path;
  readonly message: string;
  readonly of?: 'key' | 'value';
}

/** As much of zod's definitions as leads from a schema to those within. */
export type SchemaDefinition =
  | { readonly type: 'object'; readonly shape: Readonly<Record<string, z.ZodType>> }
  | { readonly type: 'array'; readonly element: z.ZodType }
  | { readonly type: 'record'; readonly valueType: z.ZodType }
  | { readonly type: 'pipe'; readonly in: z.ZodType; readonly out: z.ZodType }
  | {
      readonly type: 'optional' | 'default' | 'prefault' | 'nullable';
      readonly innerType: z.ZodType;
    }
  | { readonly type: 'transform' | 'other' };

/** What zod expects, in words. */
export function describe(expected: string): string {
  return (
    {
      string: 'a text',
      object: 'keys and values',
      record: 'keys and values',
      array: 'a list',
      int: 'a whole number',
      number: 'a number',
      boolean: 'true or false',
    }[expected] ?? expected
  );
}

export function explain(issue: z.core.$ZodIssue, schema: z.ZodType): readonly YamlProblem[] {
  const path = issue.path.filter((step) => typeof step !== 'symbol');
  const value = JSON.stringify(issue.input) ?? 'nothing';
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({
        path: [...path, key],
        of: 'key',
        message: unknownName('key', key, keysAt(schema, path)).message,
      }));
    case 'invalid_value':
      if (issue.input === undefined)
        return [
          {
            path,
            message: `"${String(path.at(-1))}" is missing: expected ${issue.values.join(' or ')}`,
          },
        ];
      return [{ path, message: `expected ${issue.values.join(' or ')}, got ${value}` }];
    case 'invalid_type':
      return [
        {
          path,
          message:
            issue.input === undefined
              ? `"${String(path.at(-1))}" is missing: expected ${describe(issue.expected)}`
              : `expected ${describe(issue.expected)}, got ${value}`,
        },
      ];
    default:
      return [{ path, message: issue.message }];
  }
}

/** The keys that the schema knows at a place of the document. */
export function keysAt(schema: z.ZodType, path: Path): readonly string[] {
  const definition = schema.def as SchemaDefinition;
  switch (definition.type) {
    case 'object': {
      const [step, ...rest] = path;
      if (step === undefined) return Object.keys(definition.shape);
      const inner = definition.shape[String(step)];
      return inner === undefined ? [] : keysAt(inner, rest);
    }
    case 'array':
      return keysAt(definition.element, path.slice(1));
    case 'record':
      return keysAt(definition.valueType, path.slice(1));
    case 'pipe':
      return [...keysAt(definition.in, path), ...keysAt(definition.out, path)];
    case 'optional':
    case 'default':
    case 'prefault':
    case 'nullable':
      return keysAt(definition.innerType, path);
    default:
      return [];
  }
}
