/**
 * The list of what Flowbed refuses, from the places that refuse it: each `new Unsupported(…)` and
 * `new Unpredictable(…)` of the code with its message. A message cannot be missing from the list,
 * and the list has no message that the code does not have.
 */
import ts from 'typescript';
import { descendants, parse, type Source } from '../tidiness/sources.js';
import { hole, literalText, textConstants, type Known } from './literal-text.js';

export interface Refusal {
  readonly path: string;
  /** `Unpredictable`: what Open vSwitch does there is nondeterministic, or ends it. */
  readonly kind: 'Unsupported' | 'Unpredictable';
  /** `…` for what is filled in. */
  readonly message: string;
}

/** In the order of the files, each message of a file once; tests are left out. */
export function collectRefusals(sources: readonly Source[]): readonly Refusal[] {
  const nodes = sources
    .filter(({ path }) => !path.endsWith('.test.ts') && !path.includes('/testkit/'))
    .flatMap((source) => descendants(parse(source)));
  const [calls, constants] = [callsByName(nodes), textConstants(nodes)];
  const found = nodes.flatMap((node) => refusalsOf(node, calls, constants));
  return found.filter(
    ({ path, message }, index) =>
      found.findIndex((other) => other.path === path && other.message === message) === index,
  );
}

type CallsByName = ReadonlyMap<string, readonly ts.CallExpression[]>;

function callsByName(nodes: readonly ts.Node[]): CallsByName {
  const calls = new Map<string, ts.CallExpression[]>();
  for (const node of nodes)
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression))
      calls.set(node.expression.text, [...(calls.get(node.expression.text) ?? []), node]);
  return calls;
}

function refusalsOf(node: ts.Node, calls: CallsByName, constants: Known): readonly Refusal[] {
  if (!ts.isNewExpression(node) || !ts.isIdentifier(node.expression)) return [];
  const kind = node.expression.text;
  const [message] = node.arguments ?? [];
  if (message === undefined || (kind !== 'Unsupported' && kind !== 'Unpredictable')) return [];
  return bindings(node, message, calls).flatMap((known): readonly Refusal[] => {
    const text = literalText(message, new Map([...constants, ...known]));
    return saysSomething(text)
      ? [{ path: node.getSourceFile().fileName, kind, message: text }]
      : [];
  });
}

/**
 * What the parameters of the function around stand for, call by call: a message may be made of
 * them.
 */
function bindings(refusal: ts.Node, message: ts.Expression, calls: CallsByName): readonly Known[] {
  const used = new Set(
    descendants(message)
      .filter(ts.isIdentifier)
      .map(({ text }) => text),
  );
  const around = enclosingFunction(refusal);
  const parameters = around?.parameters.map(({ name }) => name.getText()) ?? [];
  const own = around === undefined ? [] : (calls.get(around.name) ?? []);
  if (!parameters.some((name) => used.has(name)) || own.length === 0) return [new Map()];
  return own.map(
    (call) =>
      new Map(
        parameters.flatMap((name, at) => {
          const argument = call.arguments[at];
          return argument === undefined ? [] : [[name, argument] as const];
        }),
      ),
  );
}

function enclosingFunction(
  node: ts.Node,
): { readonly name: string; readonly parameters: readonly ts.ParameterDeclaration[] } | undefined {
  for (let up: ts.Node | undefined = node.parent; up !== undefined; up = up.parent) {
    if (ts.isFunctionDeclaration(up) && up.name !== undefined)
      return { name: up.name.text, parameters: up.parameters };
    if (ts.isArrowFunction(up) && ts.isVariableDeclaration(up.parent))
      return { name: up.parent.name.getText(), parameters: up.parameters };
  }
  return undefined;
}

/** Messages that are passed on have no words of their own. */
function saysSomething(message: string): boolean {
  return (
    message
      .replaceAll(hole, '')
      .split(/\s+/)
      .filter((word) => /\w/.test(word)).length > 2
  );
}
