/** Fields of manifests that may have one value alone. */
import ts from 'typescript';
import { descendants, parse, type Source } from '../tidiness/sources.js';

export interface LimitedField {
  /** `Service` */
  readonly object: string;
  /** `spec.internalTrafficPolicy` */
  readonly path: string;
  /** The one value that is taken. */
  readonly only: string;
}

/** @param sources the schemas of harness/kube/schemas. */
export function collectFields(sources: readonly Source[]): readonly LimitedField[] {
  return sources.flatMap((source) => descendants(parse(source)).flatMap(fieldsOf));
}

function fieldsOf(node: ts.Node): readonly LimitedField[] {
  if (!ts.isCallExpression(node)) return [];
  const called = ts.isPropertyAccessExpression(node.expression)
    ? node.expression.name.text
    : node.expression.getText();
  const texts = node.arguments.filter(ts.isStringLiteral).map(({ text }) => text);
  const { object, path } = placeIn(node);
  if (called === 'notModelled')
    return texts.map((name) => ({ object, path: [...path, name].join('.'), only: 'not given' }));
  if (called === 'only') return texts.map((only) => ({ object, path: path.join('.'), only }));
  if (called === 'max' && node.arguments[0]?.getText() === '0')
    return [{ object, path: path.join('.'), only: 'an empty list' }];
  return [];
}

/** `serviceSchema` holds what is said of a Service. */
function placeIn(node: ts.Node): { readonly object: string; readonly path: readonly string[] } {
  const path: string[] = [];
  let object = '';
  for (let up: ts.Node = node; up.parent !== undefined; up = up.parent) {
    if (ts.isPropertyAssignment(up.parent)) path.unshift(up.parent.name.getText());
    if (ts.isVariableDeclaration(up.parent)) object = up.parent.name.getText();
  }
  const name = object.replace(/(Schema)?$/, '');
  return { object: name.charAt(0).toUpperCase() + name.slice(1), path };
}
