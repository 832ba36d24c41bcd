/** All mutants of one module. */
import ts from 'typescript';
import type { Mutant } from './mutant.js';
import { isFallback, replacementsOf } from './operators.js';

/** In the order of the text, outer before inner. Types, imports, assertions and what is written for people have none. */
export function findMutants(file: ts.SourceFile): readonly Mutant[] {
  const mutants: Mutant[] = [];
  const visit = (node: ts.Node): void => {
    if (isLeftAlone(node)) return;
    for (const { node: replaced, text } of replacementsOf(node)) {
      if (text !== replaced.getText() && !isPartOfChain(replaced)) mutants.push({ start: replaced.getStart(), end: replaced.getEnd(), ...(text === undefined ? {} : { replacement: text }) });
    }
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(file, visit);
  return mutants.sort((a, b) => a.start - b.start || b.end - a.end);
}

/** Calls whose arguments are for people; of assertions the condition as well, which only a bug of ours makes false. */
const assertions: ReadonlySet<string> = new Set(['assert', 'assertNever']);
const complaints: ReadonlySet<string> = new Set(['complain', 'unknownName', 'InputError', 'Unavailable', 'Unsupported', 'Error']);
/** What reads a piece of text, or complains about it by the name that it is given. */
const readers: ReadonlySet<string> = new Set(['parseNumber', 'parseDecimal', 'small', 'oneOf', 'exactly', 'hexBytes', 'numbered']);
/** What holds a sentence for people. */
const sentences: ReadonlySet<string> = new Set(['summary', 'because', 'why', 'cause', 'expected', 'actual', 'message', 'summaries']);

function isLeftAlone(node: ts.Node): boolean {
  if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return true;
  if (ts.isCallExpression(node) && assertions.has(node.expression.getText())) return true;
  if (ts.isExpressionStatement(node) && ts.isCallExpression(node.expression) && assertions.has(node.expression.expression.getText())) return true;
  if (ts.isPropertyName(node) && 'name' in node.parent && node.parent.name === node) return true;
  return isFallback(node) || (isText(node) && isForPeople(node));
}

function isText(node: ts.Node): boolean {
  return ts.isStringLiteral(node) || ts.isTemplateExpression(node) || ts.isNoSubstitutionTemplateLiteral(node);
}

/** Whether a text is part of an error, names something in one, or is part of what a property or a variable named like a sentence holds. */
function isForPeople(node: ts.Node): boolean {
  if (ts.isCallExpression(node.parent) && readers.has(node.parent.expression.getText())) return true;
  for (let around = node.parent; !ts.isSourceFile(around) && !ts.isFunctionLike(around); around = around.parent) {
    if ((ts.isCallExpression(around) || ts.isNewExpression(around)) && complaints.has(around.expression.getText())) return true;
    if ((ts.isPropertyAssignment(around) || ts.isVariableDeclaration(around)) && sentences.has(around.name.getText())) return true;
  }
  return false;
}

/** `a?.b` in `a?.b.c`: what is put in its place would end the chain early. */
function isPartOfChain(node: ts.Node): boolean {
  return ts.isOptionalChain(node.parent) && node.parent.expression === node;
}
