/** What containerlab prints with `--format json`, each document with its schema. */
import { z } from 'zod';
import { Unavailable } from '../base/errors/errors.js';

const container = z.looseObject({
  lab_name: z.string(),
  labPath: z.string().exactOptional(),
  absLabPath: z.string().exactOptional(),
  name: z.string().describe('of the container: PREFIX-LAB-NODE'),
  container_id: z.string(),
  image: z.string(),
  kind: z.string(),
  state: z.string().describe('running, exited, …, as the engine has it'),
  status: z.string().describe('Up 2 seconds, …'),
  ipv4_address: z.string().describe('ADDRESS/PREFIX on the management network, or N/A'),
  ipv6_address: z.string(),
});

export type LabContainer = z.infer<typeof container>;

/** Of `deploy` and `inspect`: the containers of each lab, by its name. */
export const labsSchema = z.record(z.string(), z.array(container));
export type Labs = z.infer<typeof labsSchema>;

/** Of `inspect interfaces`. */
export const interfacesSchema = z.array(
  z.looseObject({
    name: z.string(),
    interfaces: z.array(
      z.looseObject({
        name: z.string(),
        alias: z.string(),
        mac: z.string(),
        ifindex: z.int(),
        mtu: z.int(),
        type: z.string(),
        state: z.string(),
      }),
    ),
  }),
);
export type ContainerInterfaces = z.infer<typeof interfacesSchema>[number];

/**
 * Of `exec`: by container, a result a command. Where a command prints a JSON document, containerlab
 * puts the document in the place of the text.
 */
export const execSchema = z.record(
  z.string(),
  z.array(
    z.looseObject({
      cmd: z.array(z.string()),
      'return-code': z.int(),
      stdout: z.unknown(),
      stderr: z.string(),
    }),
  ),
);

/** Of `events`, a line each. */
export const eventSchema = z.looseObject({
  timestamp: z.string(),
  type: z.string().describe('container or interface'),
  action: z.string(),
  actor_id: z.string(),
  actor_name: z.string(),
  actor_full_id: z.string().exactOptional(),
  attributes: z.record(z.string(), z.string()).exactOptional(),
});
export type LabEvent = z.infer<typeof eventSchema>;

/** @throws Unavailable where the text is no such document: another version prints another. */
export function readOutput<T>(command: string, text: string, schema: z.ZodType<T>): T {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw unknownOutput(command, 'it is no JSON', text);
  }
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const path = issue?.path.map(String).join('.') ?? '';
  throw unknownOutput(command, `${path}: ${issue?.message ?? 'not as expected'}`, text);
}

function unknownOutput(command: string, why: string, text: string): Unavailable {
  return new Unavailable(
    `the output of containerlab ${command} is not understood: ${why}`,
    ['compare versions: containerlab version (0.79 is what this client was written for)'],
    text.split('\n').slice(0, 5),
  );
}
