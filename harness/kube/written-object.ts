import type { YamlDocument } from '../base/text/yaml.js';
import type { KubeObject } from './objects.js';

/** An object, and where it was written. */

export interface WrittenObject {
  readonly object: KubeObject;
  readonly document: YamlDocument;
}
