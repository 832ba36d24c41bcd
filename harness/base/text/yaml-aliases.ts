/**
 * Aliases of YAML (`*name`), before they are taken for what they stand for: of nothing, of
 * themselves, or of more than anybody writes.
 */
import { isAlias, isCollection, isNode, isPair, isScalar, type Document, type Node } from 'yaml';

export interface AliasProblem {
  /** Where in the text, from 0. */
  readonly offset: number;
  readonly message: string;
}

/**
 * So many values the aliases of a document may stand for, all together: nine lines of ten aliases
 * each would be a billion.
 */
const valuesMax = 1_000_000;

/**
 * The first thing that is wrong with aliases, or with a key that is no word; nothing where all is
 * well.
 */
export function aliasProblems(document: Document): readonly AliasProblem[] {
  /**
   * What anchors stand for so far: the node and how many values it has; undefined until its end.
   */
  const anchors = new Map<string, { readonly values: number | undefined }>();
  let stoodFor = 0;
  const problem = (node: Node, message: string) =>
    new Found({ offset: node.range?.[0] ?? 0, message });
  const valuesOf = (node: unknown): number => {
    if (isPair(node)) {
      if (isCollection(node.key))
        throw problem(node.key, 'a key has to be a word, not a list or keys and values');
      return valuesOf(node.key) + valuesOf(node.value);
    }
    if (isAlias(node)) {
      const anchor = anchors.get(node.source);
      if (anchor === undefined)
        throw problem(
          node,
          `*${node.source} stands for nothing: there is no &${node.source} before it`,
        );
      if (anchor.values === undefined)
        throw problem(node, `*${node.source} stands within what it stands for`);
      stoodFor += anchor.values;
      if (stoodFor > valuesMax)
        throw problem(
          node,
          `*${node.source} and the aliases before it stand for more than ` +
            `${valuesMax.toLocaleString('en')} values`,
        );
      return anchor.values;
    }
    if (!isNode(node)) return 0;
    const anchor = isScalar(node) || isCollection(node) ? node.anchor : undefined;
    if (anchor !== undefined) anchors.set(anchor, { values: undefined });
    let values = 1;
    if (isCollection(node)) for (const item of node.items) values += valuesOf(item);
    if (anchor !== undefined) anchors.set(anchor, { values });
    return values;
  };
  try {
    valuesOf(document.contents);
    return [];
  } catch (error) {
    if (error instanceof Found) return [error.problem];
    if (error instanceof RangeError)
      return [{ offset: 0, message: 'nested too deeply: some hundred levels can be read' }];
    throw error;
  }
}

class Found extends Error {
  constructor(readonly problem: AliasProblem) {
    super(problem.message);
  }
}
