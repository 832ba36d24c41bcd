/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/** Elements, as data would be written. */

export type Child = Node | string | undefined | readonly Child[];
type Attributes = Readonly<Record<string, string | number | undefined | (() => void)>>;

/**
 * `undefined` leaves an attribute out; a function is a listener of the event that the attribute
 * names.
 */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes,
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') made.addEventListener(key, value);
    else if (value !== undefined) made.setAttribute(key, String(value));
  }
  append(made, children);
  return made;
}

function append(parent: Node, children: readonly Child[]): void {
  for (const child of children) {
    if (child === undefined) continue;
    if (typeof child === 'string') parent.appendChild(document.createTextNode(child));
    else if (child instanceof Node) parent.appendChild(child);
    else append(parent, child);
  }
}

/** A mark that people see and programs leave to the words beside it. */
export function mark(symbol: string): HTMLElement {
  return element('span', { class: 'mark', 'aria-hidden': 'true' }, symbol);
}
