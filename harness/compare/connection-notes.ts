import type { HostNote } from '../domain/observation.js';

/** Notes that describe a connection. */
export const connectionNotes: ReadonlySet<HostNote['kind']> = new Set([
  'connected',
  'closed',
  'refused',
  'reset',
  'timed-out',
]);
