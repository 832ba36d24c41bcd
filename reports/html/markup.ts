/**
 * Markup with everything escaped that is not markup itself, or that would turn the direction of
 * what is read.
 */
import { visible } from '../../harness/base/text/visible.js';

/** A piece of markup that is safe to put into a page as it is. */
export interface Markup {
  readonly markup: string;
}

type Content = Markup | string | number | readonly Content[];

/** A template's texts are markup; what is put into it is escaped unless it is markup too. */
export function html(texts: TemplateStringsArray, ...contents: readonly Content[]): Markup {
  return {
    markup: texts
      .map(
        (text, index) =>
          `${text}${index < contents.length ? render(contents[index] as Content) : ''}`,
      )
      .join(''),
  };
}

export function raw(markup: string): Markup {
  return { markup };
}

function render(content: Content): string {
  if (typeof content === 'string')
    return visible(content).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
  if (typeof content === 'number') return String(content);
  if ('markup' in content) return content.markup;
  return content.map(render).join('');
}
