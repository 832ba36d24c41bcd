/** What the agent holds over its own end, as Contrail's keeps ports in files: a file of JSON. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { InputError } from '../../../base/errors/errors.js';

/** What identifies a port "both in Contrail terms … as well as in Windows terms". */
export const addedPort = z.object({
  /** Of the virtual-machine-interface. */
  id: z.string(),
  'instance-id': z.string(),
  'vn-id': z.string(),
  'display-name': z.string(),
  'ip-address': z.string(),
  'mac-address': z.string(),
  /** The adapter's FriendlyName. */
  'system-name': z.string(),
});
export type AddedPort = z.infer<typeof addedPort>;

export const seenAdapter = z.object({ friendlyName: z.string(), ofport: z.number() });

const held = z.object({ ports: z.array(addedPort), adapters: z.array(seenAdapter) });
export type HeldPorts = z.infer<typeof held>;

/** @throws InputError for a file that no agent has written. */
export function readHeld(file: string | undefined): HeldPorts {
  if (file === undefined || !existsSync(file)) return { ports: [], adapters: [] };
  try {
    return held.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    throw new InputError(`${file} does not hold the ports of a vRouter agent: remove it`);
  }
}

/** Whole, or as it was. */
export function writeHeld(file: string | undefined, ports: HeldPorts): void {
  if (file === undefined) return;
  writeFileSync(`${file}.new`, JSON.stringify(ports));
  renameSync(`${file}.new`, file);
}
