/** What an expression says, as far as the source alone shows: the rest is `…`. */
import ts from 'typescript';

/** Texts for names: constants, and the parameters of the function around the expression. */
export type Known = ReadonlyMap<string, ts.Expression>;

/** A template's holes, and what is computed. */
export const hole = '…';

export function literalText(expression: ts.Expression, known: Known): string {
  if (ts.isStringLiteralLike(expression)) return expression.text;
  if (ts.isParenthesizedExpression(expression)) return literalText(expression.expression, known);
  if (
    ts.isBinaryExpression(expression) &&
    expression.operatorToken.kind === ts.SyntaxKind.PlusToken
  )
    return literalText(expression.left, known) + literalText(expression.right, known);
  if (ts.isTemplateExpression(expression))
    return expression.templateSpans.reduce(
      (text, { expression: inner, literal }) => text + literalText(inner, known) + literal.text,
      expression.head.text,
    );
  if (ts.isConditionalExpression(expression)) {
    const [one, other] = [expression.whenTrue, expression.whenFalse].map((branch) =>
      literalText(branch, known),
    );
    return [one, other].includes(hole) ? hole : `${one} or ${other}`;
  }
  if (ts.isIdentifier(expression)) {
    const value = known.get(expression.text);
    return value === undefined ? hole : literalText(value, withoutName(known, expression.text));
  }
  return hole;
}

/** A parameter may be given by a variable that is called as it is. */
function withoutName(known: Known, name: string): Known {
  return new Map([...known].filter(([other]) => other !== name));
}

/** The constants of the top level of files that are texts, by name. */
export function textConstants(nodes: readonly ts.Node[]): Known {
  const declared = nodes
    .filter(ts.isVariableDeclaration)
    .filter(({ parent }) => ts.isSourceFile(parent.parent.parent));
  return new Map(
    declared.flatMap(({ name, initializer }) =>
      ts.isIdentifier(name) &&
      initializer !== undefined &&
      literalText(initializer, new Map()) !== hole
        ? [[name.text, initializer] as const]
        : [],
    ),
  );
}
