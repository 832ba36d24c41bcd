import { systemProgram } from './system-program.js';

/**
 * `command` as a child that dies when its parent does (PR_SET_PDEATHSIG). A parent that was dead
 * before the child asked for that signal never sends it: then the command is not started at all.
 */
export function withParentDeathSignal(
  parent: number,
  command: readonly string[],
): readonly [file: string, ...args: string[]] {
  return [
    systemProgram('setpriv'),
    '--pdeathsig',
    'KILL',
    '--',
    systemProgram('sh'),
    '-c',
    '[ "$PPID" = "$0" ] && exec "$@"',
    String(parent),
    ...command,
  ];
}
