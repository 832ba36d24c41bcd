import { posix } from 'node:path';
import ts from 'typescript';
import { descendants, placeOf } from './sources.js';

/** One import of a file of the project by another; packages and Node's modules are left out. */
export interface Import {
  /** `path:line` of the import. */
  readonly place: string;
  readonly from: string;
  readonly to: string;
  readonly kind: 'value' | 'type';
}

/** The imports and re-exports of a file, dynamic ones and `import('…')` types too. */
export function importsOf(file: ts.SourceFile): readonly Import[] {
  const found: Import[] = [];
  for (const node of descendants(file)) {
    const imported = importedBy(node);
    if (imported === undefined || !imported.specifier.startsWith('.')) continue;
    const to = posix.join(posix.dirname(file.fileName), imported.specifier).replace(/\.js$/, '.ts');
    found.push({ place: placeOf(file, node), from: file.fileName, to, kind: imported.kind });
  }
  return found;
}

function importedBy(
  node: ts.Node,
): { readonly specifier: string; readonly kind: Import['kind'] } | undefined {
  if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
    return {
      specifier: node.moduleSpecifier.text,
      kind: node.importClause?.isTypeOnly ? 'type' : 'value',
    };
  }
  if (
    ts.isExportDeclaration(node) &&
    node.moduleSpecifier !== undefined &&
    ts.isStringLiteral(node.moduleSpecifier)
  ) {
    return { specifier: node.moduleSpecifier.text, kind: node.isTypeOnly ? 'type' : 'value' };
  }
  if (
    ts.isImportTypeNode(node) &&
    ts.isLiteralTypeNode(node.argument) &&
    ts.isStringLiteral(node.argument.literal)
  ) {
    return { specifier: node.argument.literal.text, kind: 'type' };
  }
  const argument =
    ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword
      ? node.arguments[0]
      : undefined;
  return argument !== undefined && ts.isStringLiteral(argument)
    ? { specifier: argument.text, kind: 'value' }
    : undefined;
}
