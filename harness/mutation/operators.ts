/**
 * What can be wrong with one piece of syntax: off by one, the wrong operator, a condition that does not matter, a statement that is
 * missing. Pure: a node gives texts to put in its place.
 */
import ts from 'typescript';

const K = ts.SyntaxKind;

/** A replacement for the text of `node`, which is the one given or one around it. */
export interface Replacement {
  readonly node: ts.Node;
  /** Left out: the statement is removed. */
  readonly text?: string;
}

/** Every replacement for one node itself; those for what is inside it come from there. */
export function replacementsOf(node: ts.Node): readonly Replacement[] {
  return [
    ...(isBoolean(node) ? forced(node) : []),
    ...(ts.isBinaryExpression(node) ? binary(node) : []),
    ...(ts.isPrefixUnaryExpression(node) || ts.isPostfixUnaryExpression(node) ? unary(node) : []),
    ...(ts.isNumericLiteral(node) || ts.isBigIntLiteral(node) ? [{ node, text: oneMore(node.getText()) }] : []),
    ...(ts.isStringLiteral(node) ? [{ node, text: node.text === '' ? `'~'` : `''` }] : []),
    ...(ts.isTemplateExpression(node) || ts.isNoSubstitutionTemplateLiteral(node) ? [{ node: ts.isTaggedTemplateExpression(node.parent) ? node.parent : node, text: `''` }] : []),
    ...(ts.isRegularExpressionLiteral(node) ? regularExpression(node) : []),
    ...(ts.isCallExpression(node) ? call(node) : []),
    ...(ts.isExpressionStatement(node) && !isSuperCall(node.expression) ? [{ node }] : []),
    ...(ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node) || ts.isCallExpression(node) ? unguarded(node) : []),
  ];
}

/** Without it there is no object, so that nothing is learned; and it must stand where it stands. */
function isSuperCall(node: ts.Expression): boolean {
  return ts.isCallExpression(node) && node.expression.kind === K.SuperKeyword;
}

const comparisons: ReadonlySet<ts.SyntaxKind> = new Set([
  K.LessThanToken, K.LessThanEqualsToken, K.GreaterThanToken, K.GreaterThanEqualsToken, K.EqualsEqualsEqualsToken, K.ExclamationEqualsEqualsToken, K.InKeyword, K.InstanceOfKeyword,
]);
const connectives: ReadonlySet<ts.SyntaxKind> = new Set([K.AmpersandAmpersandToken, K.BarBarToken]);

/** Conditions, and what computes a boolean value. What is negated as a whole is judged inside the negation. */
function isBoolean(node: ts.Node): node is ts.Expression {
  if (node.kind === K.TrueKeyword || node.kind === K.FalseKeyword || ts.isParenthesizedExpression(node)) return false;
  if (ts.isPrefixUnaryExpression(node) && node.operator === K.ExclamationToken) return !ts.isParenthesizedExpression(node.operand);
  if (ts.isBinaryExpression(node) && (comparisons.has(node.operatorToken.kind) || connectives.has(node.operatorToken.kind))) return true;
  const around = outside(node);
  return isConditionOf(around.parent, around.inner) || connectiveAround(node) !== undefined;
}

/** The first node around that is no parenthesis, and its child on the way. */
function outside(node: ts.Node): { readonly parent: ts.Node; readonly inner: ts.Node } {
  let inner = node;
  while (ts.isParenthesizedExpression(inner.parent)) inner = inner.parent;
  return { parent: inner.parent, inner };
}

function isConditionOf(parent: ts.Node, inner: ts.Node): boolean {
  if (ts.isIfStatement(parent) || ts.isWhileStatement(parent) || ts.isDoStatement(parent)) return parent.expression === inner;
  return (ts.isConditionalExpression(parent) || ts.isForStatement(parent)) && parent.condition === inner;
}

/** The connective that `node` is an operand of. */
function connectiveAround(node: ts.Node): ts.SyntaxKind | undefined {
  const { parent, inner } = outside(node);
  return ts.isBinaryExpression(parent) && parent.operatorToken !== inner && connectives.has(parent.operatorToken.kind) ? parent.operatorToken.kind : undefined;
}

/**
 * Conditions forced one way. These take the place of `===` to `!==` and of `&&` to `||`: a test that notices an operand dropped in
 * each direction notices these as well. An operand of && is forced to true and one of || to false, which drops it; the whole of an && to
 * false, of an || to true. A loop is never forced to go on.
 */
function forced(node: ts.Expression): readonly Replacement[] {
  const outer = connectiveAround(node);
  if (outer !== undefined) return [{ node, text: String(outer === K.AmpersandAmpersandToken) }];
  const own = ts.isBinaryExpression(node) ? node.operatorToken.kind : undefined;
  const { parent } = outside(node);
  const loops = ts.isWhileStatement(parent) || ts.isDoStatement(parent) || ts.isForStatement(parent);
  return [
    ...(own === K.AmpersandAmpersandToken || loops ? [] : [{ node, text: 'true' }]),
    ...(own === K.BarBarToken ? [] : [{ node, text: 'false' }]),
  ];
}

const swapped: Readonly<Partial<Record<ts.SyntaxKind, string>>> = {
  [K.LessThanToken]: '<=', [K.LessThanEqualsToken]: '<', [K.GreaterThanToken]: '>=', [K.GreaterThanEqualsToken]: '>',
  [K.PlusToken]: '-', [K.MinusToken]: '+', [K.AsteriskToken]: '/', [K.SlashToken]: '*', [K.PercentToken]: '*', [K.AsteriskAsteriskToken]: '*',
  [K.AmpersandToken]: '|', [K.BarToken]: '&', [K.CaretToken]: '&', [K.LessThanLessThanToken]: '>>', [K.GreaterThanGreaterThanToken]: '<<', [K.GreaterThanGreaterThanGreaterThanToken]: '<<',
  [K.PlusEqualsToken]: '-=', [K.MinusEqualsToken]: '+=', [K.AsteriskEqualsToken]: '/=', [K.SlashEqualsToken]: '*=',
  [K.AmpersandEqualsToken]: '|=', [K.BarEqualsToken]: '&=', [K.CaretEqualsToken]: '&=', [K.LessThanLessThanEqualsToken]: '>>=', [K.GreaterThanGreaterThanEqualsToken]: '<<=', [K.GreaterThanGreaterThanGreaterThanEqualsToken]: '<<=',
  [K.QuestionQuestionEqualsToken]: '=',
};

function binary(node: ts.BinaryExpression): readonly Replacement[] {
  const { left, operatorToken, right } = node;
  if (operatorToken.kind === K.QuestionQuestionToken) return [{ node, text: right.getText() }, ...(isForTheTypeChecker(left, right) ? [] : [{ node, text: left.getText() }])];
  // `>>> 0` makes a number unsigned.
  if (operatorToken.kind === K.GreaterThanGreaterThanGreaterThanToken && right.getText() === '0') return [{ node, text: `${left.getText()} >> 0` }];
  const operator = swapped[operatorToken.kind];
  return operator === undefined ? [] : [{ node, text: `${left.getText()} ${operator} ${right.getText()}` }];
}

/** `bytes[index] ?? 0` and `steps[index]?.outputs ?? []` have their right side because types do not know how long an array is. */
function isForTheTypeChecker(left: ts.Expression, right: ts.Expression): boolean {
  return isOfElement(left) && (ts.isNumericLiteral(right) || ts.isStringLiteral(right) || (ts.isArrayLiteralExpression(right) && right.elements.length === 0));
}

/** An element of an array, or something of one. */
function isOfElement(node: ts.Expression): boolean {
  return ts.isElementAccessExpression(node) || (ts.isPropertyAccessExpression(node) && isOfElement(node.expression));
}

/** Whether a literal stands only where types do not know how long an array is: `bytes[index] ?? 0`, `const [first = 0] = …`. */
export function isFallback(node: ts.Node): boolean {
  const { parent } = node;
  if (ts.isBindingElement(parent)) return parent.initializer === node && ts.isArrayBindingPattern(parent.parent);
  return ts.isBinaryExpression(parent) && parent.right === node && parent.operatorToken.kind === K.QuestionQuestionToken && isForTheTypeChecker(parent.left, parent.right);
}

function unary(node: ts.PrefixUnaryExpression | ts.PostfixUnaryExpression): readonly Replacement[] {
  const operand = node.operand.getText();
  switch (node.operator) {
    case K.PlusPlusToken:
      return [{ node, text: `${operand}--` }];
    case K.MinusMinusToken:
      return [{ node, text: `${operand}++` }];
    case K.MinusToken:
    case K.TildeToken:
      return [{ node, text: operand }];
    default:
      return [];
  }
}

/** One more than a literal, in its own notation. */
function oneMore(literal: string): string {
  const [, digits = literal, big = ''] = /^(.*?)(n?)$/.exec(literal.replaceAll('_', '')) ?? [];
  if (/^0x/i.test(digits)) return `0x${(BigInt(digits) + 1n).toString(16)}${big}`;
  return /^\d+$/.test(digits) ? `${BigInt(digits) + 1n}${big}` : `(${literal} + 1)`;
}

/** An anchor or a repetition less. */
function regularExpression(node: ts.RegularExpressionLiteral): readonly Replacement[] {
  const literal = node.getText();
  const end = literal.lastIndexOf('/');
  const [pattern, flags] = [literal.slice(1, end), literal.slice(end + 1)];
  const variants = [
    ...(pattern.startsWith('^') ? [pattern.slice(1)] : []),
    ...(/[^\\]\$$/.test(pattern) ? [pattern.slice(0, -1)] : []),
    ...[...pattern.matchAll(/(?<=[\])\w.])[+*](?!\])/g)].map(({ index }) => pattern.slice(0, index) + pattern.slice(index + 1)),
  ];
  return variants.filter((variant) => variant !== '').map((variant) => ({ node, text: `/${variant}/${flags}` }));
}

/** What is found first is mostly the only one: `find` has no other. */
const otherMethods: Readonly<Record<string, string>> = {
  some: 'every', every: 'some', min: 'max', max: 'min', startsWith: 'endsWith', endsWith: 'startsWith', findLast: 'find', lastIndexOf: 'indexOf',
  padStart: 'padEnd', trimStart: 'trimEnd', trimEnd: 'trimStart',
};
/** Methods that give back something like what they are called on. */
const narrowing: ReadonlySet<string> = new Set(['filter', 'slice', 'sort', 'toSorted', 'reverse', 'subarray', 'trim', 'toLowerCase', 'toUpperCase', 'replace', 'replaceAll']);

function call(node: ts.CallExpression): readonly Replacement[] {
  const callee = node.expression;
  if (!ts.isPropertyAccessExpression(callee)) return [];
  const other = Object.hasOwn(otherMethods, callee.name.text) ? otherMethods[callee.name.text] : undefined;
  return [
    ...(other === undefined ? [] : [{ node, text: node.getText().slice(0, callee.name.getStart() - node.getStart()) + other + node.getText().slice(callee.name.getEnd() - node.getStart()) }]),
    ...(narrowing.has(callee.name.text) && callee.questionDotToken === undefined ? [{ node, text: callee.expression.getText() }] : []),
  ];
}

/** `a?.b` as `a.b`, in the whole chain that it belongs to: a part of a chain cannot stand for itself. Elements of arrays are guarded for the type checker. */
function unguarded(node: ts.PropertyAccessExpression | ts.ElementAccessExpression | ts.CallExpression): readonly Replacement[] {
  const token = node.questionDotToken;
  if (token === undefined || ts.isElementAccessExpression(node.expression)) return [];
  let chain: ts.Node = node;
  while (ts.isOptionalChain(chain.parent) && chain.parent.expression === chain) chain = chain.parent;
  const [text, place] = [chain.getText(), token.getStart() - chain.getStart()];
  return [{ node: chain, text: text.slice(0, place) + (ts.isPropertyAccessExpression(node) ? '.' : '') + text.slice(place + 2) }];
}
