/** What a measurement was made on, and how a table of measurements is printed. */
import { cpus, release, totalmem } from 'node:os';

/** `2 × Intel Xeon …, 23 GiB, Linux 6.1, Node v20.20.2` */
export function describeMachine(): string {
  const processors = cpus();
  return (
    `${processors.length} × ${processors[0]?.model.trim() ?? 'unknown processor'}, ` +
    `${Math.floor(totalmem() / 2 ** 30)} GiB, Linux ${release()}, Node ${process.version}`
  );
}

/** A Markdown table; numbers belong to the right. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const padded = (cell: string, column: number): string => {
    const width = widths[column] ?? 0;
    return column === 0 ? cell.padEnd(width) : cell.padStart(width);
  };
  const line = (cells: readonly string[]) => `| ${cells.map(padded).join(' | ')} |`;
  const rule = widths.map((width, column) =>
    column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`,
  );
  return [line(head), line(rule), ...rows.map(line)].join('\n');
}

/** The middle of an odd number of measurements. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
