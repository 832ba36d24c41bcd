import { readdirSync, readFileSync } from 'node:fs';

export interface Descendant {
  readonly pid: number;
  /** Its words, with spaces between; empty when it has ended. */
  readonly command: string;
}

/**
 * What the threads of a process have started, and what that has started, of those that run
 * (proc_pid_task_children(5)); for tests.
 */
export function descendantsOf(pid: number): readonly Descendant[] {
  const children = threadsOf(pid)
    .flatMap((thread) => contentOf(`/proc/${pid}/task/${thread}/children`).split(' '))
    .filter((word) => word !== '')
    .map(Number);
  return children.flatMap((child) => [
    { pid: child, command: contentOf(`/proc/${child}/cmdline`).replaceAll('\0', ' ') },
    ...descendantsOf(child),
  ]);
}

/** None where the process is no more. */
function threadsOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/** Empty where the process is no more. */
function contentOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
