import { readManifests } from '../harness/kube/manifests.js';
import type { KubeObjects } from '../harness/kube/objects.js';

/** The objects of one text of manifests, as they are. @throws InputError with the place. */
export function objectsOf(text: string, file: string): KubeObjects {
  return readManifests([{ file, text }]).objects;
}
