import { onPath } from '../base/files/on-path.js';

/** Something that a run needs of the machine, or could use. */
export interface MachineFinding {
  readonly kind: 'fine' | 'optional' | 'missing';
  readonly text: string;
  /** What to do about it. */
  readonly remedy?: string;
}

/** Whether `name` is on PATH; `without` it the machine lacks that. */
export async function programOnPath(
  name: string,
  without: MachineFinding['kind'],
  use: string,
  remedy: string,
): Promise<MachineFinding> {
  const path = await onPath(name);
  return path === undefined
    ? { kind: without, text: `no ${name} on PATH; it ${use}`, remedy }
    : { kind: 'fine', text: `${name} (${use}): ${path}` };
}
