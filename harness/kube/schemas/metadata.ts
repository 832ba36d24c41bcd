/** What all objects have in common (Kubernetes API reference, ObjectMeta and LabelSelector). */
import { z } from 'zod';
import {
  cidrComplaint,
  labelKeyComplaint,
  labelValueComplaint,
  nameComplaint,
} from './well-formed.js';

/** A text about which `complaint` says what is wrong, or undefined. */
export function textThat(complaint: (text: string) => string | undefined): z.ZodString {
  return z.string().superRefine((text, context) => {
    const message = complaint(text);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });
}

/**
 * A structure of the API. A field that is null is not there, as the API server reads it; where keys
 * are anybody's, as labels are, null is a value like any other, and no text.
 */
export function struct<const Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.preprocess(withoutNulls(shape), z.strictObject(shape));
}

/** The same with fields beside those of which nothing is known. */
export function looseStruct<const Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.preprocess(withoutNulls(shape), z.looseObject(shape));
}

/** A field that nobody knows stays, and is complained about. */
function withoutNulls(shape: object) {
  return (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(
      Object.entries(value).filter(
        ([name, field]) => field !== null || !Object.hasOwn(shape, name),
      ),
    );
  };
}

/**
 * Fields that Kubernetes has and that no network depends on: known, so that a typing error can be
 * distinguished from them.
 */
export function unused<const Names extends readonly string[]>(
  ...names: Names
): { [Name in Names[number]]: z.ZodOptional<z.ZodUnknown> } {
  return Object.fromEntries(names.map((name) => [name, z.unknown().optional()])) as {
    [Name in Names[number]]: z.ZodOptional<z.ZodUnknown>;
  };
}

/**
 * Fields that decide what an object means, and that nobody here models: an object that has one is
 * refused by name.
 */
export function notModelled<const Names extends readonly string[]>(
  ...names: Names
): { [Name in Names[number]]: z.ZodOptional<z.ZodUnknown> } {
  const refused = (name: string) =>
    z
      .unknown()
      .superRefine((value, context) => {
        if (value !== undefined)
          context.addIssue({ code: 'custom', message: `"${name}" is not modelled here` });
      })
      .optional();
  return Object.fromEntries(names.map((name) => [name, refused(name)])) as {
    [Name in Names[number]]: z.ZodOptional<z.ZodUnknown>;
  };
}

/** A field that would change who gets what, and that nobody here reads but in its usual value. */
export function only<const Value extends string>(usual: Value) {
  return z
    .unknown()
    .superRefine((value, context) => {
      if (value !== undefined && value !== usual)
        context.addIssue({
          code: 'custom',
          message: `only ${usual} is served here, got ${JSON.stringify(value)}`,
          input: value,
        });
    })
    .optional();
}

/** A list whose entries are called differently, but for those without a name. */
export function calledDifferently<
  const Entry extends z.ZodType<{ readonly name?: string | undefined }>,
>(entry: Entry, what: string): z.ZodArray<Entry> {
  return z.array(entry).superRefine((entries, context) => {
    for (const [index, { name }] of entries.entries()) {
      if (name !== undefined && entries.slice(0, index).some((earlier) => earlier.name === name))
        context.addIssue({
          code: 'custom',
          path: [index, 'name'],
          message:
            name === ''
              ? `another ${what} has no name either`
              : `another ${what} is called "${name}"`,
        });
    }
  });
}

export const nameSchema = textThat(nameComplaint);

export const cidrSchema = textThat(cidrComplaint);

export const labelsSchema = z
  .record(z.string(), textThat(labelValueComplaint))
  .superRefine((labels, context) => {
    for (const key of Object.keys(labels)) {
      const message = labelKeyComplaint(key);
      if (message !== undefined) context.addIssue({ code: 'custom', path: [key], message });
    }
  });

/** RFC 3339, as the API server writes it. */
const timeSchema = textThat((text) =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text)
    ? undefined
    : `"${text}" is no time such as 2026-01-31T12:00:00Z`,
);

const objectMeta = {
  name: nameSchema,
  labels: labelsSchema.default({}),
  ...unused(
    'annotations',
    'creationTimestamp',
    'deletionGracePeriodSeconds',
    'deletionTimestamp',
    'finalizers',
    'generateName',
    'generation',
    'managedFields',
    'ownerReferences',
    'resourceVersion',
    'selfLink',
    'uid',
  ),
};

/** Of objects that belong to the cluster as a whole. */
export const clusterMetadata = struct(objectMeta);

/** Of objects in a namespace: `default` where none is given, as kubectl has it. */
export const namespacedMetadata = struct({
  ...objectMeta,
  namespace: nameSchema.default('default'),
});

/** Of a pod, which takes its time to go once that was asked for: until then it runs on. */
export const podMetadata = struct({
  ...objectMeta,
  namespace: nameSchema.default('default'),
  deletionTimestamp: timeSchema.optional(),
});

const requirementSchema = struct({
  key: textThat(labelKeyComplaint),
  operator: z.enum(['In', 'NotIn', 'Exists', 'DoesNotExist']),
  values: z.array(textThat(labelValueComplaint)).optional(),
}).superRefine(({ operator, values = [] }, context) => {
  const takesValues = operator === 'In' || operator === 'NotIn';
  if (takesValues && values.length === 0)
    context.addIssue({
      code: 'custom',
      path: ['values'],
      message: `operator ${operator} needs at least one value`,
    });
  if (!takesValues && values.length > 0)
    context.addIssue({
      code: 'custom',
      path: ['values'],
      message: `operator ${operator} takes no values`,
    });
});

/** Several objects of any kinds (Kubernetes API conventions, "Lists and Simple kinds"). */
export const listSchema = struct({
  apiVersion: z.literal('v1'),
  kind: z.literal('List'),
  items: z.array(z.unknown()),
  ...unused('metadata'),
});

/** Both parts must hold; an empty selector takes everything. */
export const selectorSchema = struct({
  matchLabels: labelsSchema.optional(),
  matchExpressions: z.array(requirementSchema).optional(),
});

export type Labels = Readonly<z.output<typeof labelsSchema>>;
export type LabelSelector = Readonly<z.output<typeof selectorSchema>>;
export type LabelRequirement = Readonly<z.output<typeof requirementSchema>>;
