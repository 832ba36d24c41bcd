/** What runs do not compare, from the list that reports print (harness/compare). */
import ts from 'typescript';
import { descendants, parse, type Source } from '../tidiness/sources.js';
import { literalText } from './literal-text.js';

export interface NotCompared {
  readonly what: string;
  readonly why: string;
}

/** Each `{ what, why }` of the file. */
export function collectNotCompared(source: Source): readonly NotCompared[] {
  return descendants(parse(source))
    .filter(ts.isObjectLiteralExpression)
    .flatMap((literal) => {
      const [what, why] = ['what', 'why'].map((name) => {
        const property = literal.properties.find((one) => one.name?.getText() === name);
        return property !== undefined && ts.isPropertyAssignment(property)
          ? literalText(property.initializer, new Map())
          : undefined;
      });
      return what === undefined || why === undefined ? [] : [{ what, why }];
    });
}
