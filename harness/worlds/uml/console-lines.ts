import { exitMark } from './guest-init.js';

export type ConsoleLine =
  | { readonly kind: 'said'; readonly text: string }
  /** Of the kernel. */
  | { readonly kind: 'kernel'; readonly text: string }
  | { readonly kind: 'exit'; readonly code: number };

/**
 * Whole lines of `text`, and what is left of one that has not ended yet. A line on a terminal ends
 * where the next takes its place, too: at a carriage return.
 */
export function takeConsoleLines(text: string): {
  readonly lines: readonly ConsoleLine[];
  readonly rest: string;
} {
  const parts = text.split(/[\r\n]/);
  const rest = parts.pop() ?? '';
  return {
    lines: parts
      .map(withoutErase)
      .filter((line) => line !== '')
      .map(readLine),
    rest,
  };
}

function withoutErase(line: string): string {
  return line.replaceAll('\u001b[K', '');
}

function readLine(text: string): ConsoleLine {
  const code = new RegExp(`^${exitMark} (\\d+)$`).exec(text)?.[1];
  if (code !== undefined) return { kind: 'exit', code: Number(code) };
  return { kind: /^\[ *\d+\.\d+\]/.test(text) ? 'kernel' : 'said', text };
}
