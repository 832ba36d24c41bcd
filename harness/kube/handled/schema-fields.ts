import { z } from 'zod';

/** A field of a schema, and whether anything is read of it. */
export interface SchemaField {
  /** Lists without their indices: `spec.ports.nodePort`. */
  readonly path: string;
  /** Its value is not read: any is taken. */
  readonly isUnread: boolean;
}

/** Every field of a schema that has no fields in it, in its order. */
export function schemaFields(schema: z.core.$ZodType, path = ''): readonly SchemaField[] {
  if (schema instanceof z.ZodObject)
    return Object.entries(schema.shape as Readonly<Record<string, z.core.$ZodType>>).flatMap(
      ([name, field]) => schemaFields(field, path === '' ? name : `${path}.${name}`),
    );
  if (schema instanceof z.ZodArray) return schemaFields(schema.element, path);
  if (schema instanceof z.ZodPipe)
    return schemaFields(schema.in instanceof z.ZodTransform ? schema.out : schema.in, path);
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodNullable
  )
    return schemaFields(schema.unwrap(), path);
  const checks = schema._zod.def.checks ?? [];
  return [{ path, isUnread: schema instanceof z.ZodUnknown && checks.length === 0 }];
}
