/** What all objects have (Kubernetes API reference, ObjectMeta). */
import { each, nothing, played, type FieldTable } from './handling.js';

export const metadataFields: FieldTable = {
  ...each(['apiVersion', 'kind', 'metadata.name', 'metadata.labels'], played),
  'metadata.annotations': nothing('those that are about packets have lines of their own'),
  ...each(
    [
      'metadata.creationTimestamp',
      'metadata.deletionGracePeriodSeconds',
      'metadata.deletionTimestamp',
      'metadata.finalizers',
      'metadata.generateName',
      'metadata.generation',
      'metadata.managedFields',
      'metadata.ownerReferences',
      'metadata.resourceVersion',
      'metadata.selfLink',
      'metadata.uid',
    ],
    nothing('the API server keeps it for itself and for controllers'),
  ),
};

/** Of what is in a namespace. */
export const namespacedFields: FieldTable = { ...metadataFields, 'metadata.namespace': played };
