/** Commands that a page shows with what they print: blocks that begin with `$ ./flowbed …`. */

export interface DocumentedCommand {
  /** The arguments of flowbed; none of them has white space or quotes. */
  readonly args: readonly string[];
  /** What stands below it, without the line's end. */
  readonly output: string;
}

/**
 * @param page the text of a page in Markdown. Several commands in one block are not taken apart.
 */
export function documentedCommands(page: string): readonly DocumentedCommand[] {
  return [...page.matchAll(/^```\n\$ \.\/flowbed (.*)\n([^]*?)^```$/gm)].map(
    ([, line = '', output = '']) => ({ args: line.trim().split(/\s+/), output: output.trimEnd() }),
  );
}

/** The page with what `outputs` gives for each command, in order. */
export function withOutputs(page: string, outputs: readonly string[]): string {
  let next = 0;
  return page.replace(
    /^(```\n\$ \.\/flowbed .*\n)[^]*?^```$/gm,
    (_, head: string) => `${head}${outputs[next++] ?? ''}\n\`\`\``,
  );
}
