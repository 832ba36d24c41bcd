import ts from 'typescript';
import { descendants, placeOf } from './sources.js';

/**
 * What a test file may do with tap's `t` outside of a test: everything else belongs to the test
 * that is played. Without that a file cannot be played twice in one program, as the self-test does.
 */
const outside: readonly string[] = ['test', 'teardown'];

/** Uses of tap's own `t` in fast tests where that of a test should be, one line each. */
export function outerTestViolations(file: ts.SourceFile): readonly string[] {
  if (!file.fileName.endsWith('.test.ts') || file.fileName.endsWith('.live.test.ts')) return [];
  return descendants(file).flatMap((node) => {
    if (!ts.isIdentifier(node) || node.text !== 't' || isNoUse(node) || isOfFunction(node))
      return [];
    const { parent } = node;
    return ts.isPropertyAccessExpression(parent) && outside.includes(parent.name.text)
      ? []
      : [
          `${placeOf(file, node)}: ${parent.getText().split('\n')[0]}; use the t of the test ` +
            'that is played',
        ];
  });
}

/** Where the name is given, or is that of a property. */
function isNoUse(node: ts.Identifier): boolean {
  const { parent } = node;
  return ts.isImportClause(parent) || ('name' in parent && parent.name === node);
}

/** Whether a function around has a parameter of that name. */
function isOfFunction(node: ts.Node): boolean {
  for (let around = node.parent; !ts.isSourceFile(around); around = around.parent) {
    if (
      ts.isFunctionLike(around) &&
      around.parameters.some(({ name }) => ts.isIdentifier(name) && name.text === 't')
    )
      return true;
  }
  return false;
}
