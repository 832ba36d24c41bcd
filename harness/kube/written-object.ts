import type { Place } from '../base/errors/errors.js';
import type { YamlDocument } from '../base/text/yaml.js';
import type { KubeObject } from './objects.js';

/** An object, and where it was written. */
export interface WrittenObject {
  readonly object: KubeObject;
  readonly document: YamlDocument;
}

const documents = new WeakMap<KubeObject, YamlDocument>();

/** Keeps the place beside the object, for complaints of those who get the object alone. */
export function rememberWritten({ object, document }: WrittenObject): void {
  documents.set(object, document);
}

/** Missing where the object was made, or changed, by code. */
export function placeWritten(object: KubeObject): Place | undefined {
  return documents.get(object)?.placeOf({ path: ['kind'] });
}
