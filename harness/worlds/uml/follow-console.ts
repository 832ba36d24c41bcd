import { watch } from 'node:fs';
import { open } from 'node:fs/promises';
import { takeConsoleLines, type ConsoleLine } from './console-lines.js';

export interface FollowedConsole {
  /** Reads what is left, and looks no more. */
  finish(): Promise<void>;
}

/**
 * Hands on the lines of a file that another process writes, as they come. A guest's console is a
 * file: a pipe may be full, and the guest would notice.
 */
export async function followConsole(
  path: string,
  onLine: (line: ConsoleLine) => void,
): Promise<FollowedConsole> {
  const file = await open(path, 'r');
  const decoder = new TextDecoder();
  let [pending, isOver] = ['', false];
  const readOn = async () => {
    const buffer = new Uint8Array(1 << 16);
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length, null);
      if (bytesRead === 0) return;
      const { lines, rest } = takeConsoleLines(
        pending + decoder.decode(buffer.subarray(0, bytesRead), { stream: true }),
      );
      pending = rest;
      lines.forEach(onLine);
    }
  };
  let reading = readOn();
  const watcher = watch(path, () => {
    if (!isOver) reading = reading.then(readOn);
  });
  return {
    finish: async () => {
      isOver = true;
      watcher.close();
      await reading.then(readOn).finally(() => file.close());
      takeConsoleLines(`${pending}\n`).lines.forEach(onLine);
    },
  };
}
