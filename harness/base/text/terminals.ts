import { closeSync } from 'node:fs';
import { isatty } from 'node:tty';

/**
 * Lets this process end as it should though its terminal is gone by then (a window that was
 * closed). Node.js restores the settings of each terminal that it was started on as it ends, and
 * dies by signal 11 or 6 where that fails; it passes over those that are closed.
 */
export function outliveTerminals(): void {
  const terminals = [0, 1, 2].filter((descriptor) => isatty(descriptor));
  process.on('exit', () => {
    for (const descriptor of terminals) if (!isatty(descriptor)) closeIfOpen(descriptor);
  });
}

function closeIfOpen(descriptor: number): void {
  try {
    closeSync(descriptor);
  } catch {
    // It was closed before.
  }
}
