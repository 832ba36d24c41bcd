import { shellLine } from '../../base/text/shell-line.js';

/** A folder of the machine that the guest may write to, and where it stands there. */
export interface SharedFolder {
  readonly host: string;
  readonly guest: string;
}

export interface GuestProgram {
  readonly command: readonly [file: string, ...args: string[]];
  readonly cwd: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly shared: readonly SharedFolder[];
  /** Folders of the machine that it reads, wherever they lie. */
  readonly needed: readonly string[];
}

/** The guest's own folder for temporary files: below /dev it hides nothing of the machine. */
export const guestTemporary = '/dev/shm';

/** Daemons make files without a name there, so it is the guest's own, too. */
const scratch = '/tmp';

/** Where the guest sees the folder that it was started in, and what its program says goes there. */
const guestFolder = '/mnt';
const saidFile = 'said';

/** What it prints on its stdout, in the folder that the guest was started in. */
export const printedFile = 'printed';

/** Begins the line that holds the program's exit code. */
export const exitMark = 'flowbed-guest-exit';

/**
 * The kernel's thread for packets under way goes ahead of programs, too (`ahead`): once it has some
 * to carry, it would wait for as long as they run (kernel/softirq.c, wakeup_softirqd).
 */
const softirqsAhead = [
  'for task in /proc/[0-9]*; do',
  '  read -r name <"$task/comm"',
  '  case $name in ksoftirqd/*) chrt --rr --pid 1 "${task#/proc/}" ;; esac',
  'done',
].join('\n');

/**
 * The first program of a guest, whose root folder is the machine's, to be read: it runs the program
 * with its stderr and its stdout in files of `folder`, says how it ended, and turns the guest off.
 */
export function guestInit(
  { command, cwd, variables, shared, needed }: GuestProgram,
  folder: string,
): string {
  const assignments = Object.entries({ ...variables, TMPDIR: guestTemporary, HOME: guestTemporary })
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`);
  return [
    '#!/bin/sh',
    'mount -n -t proc proc /proc',
    'mount -n -t sysfs sysfs /sys',
    'mount -n -t devtmpfs devtmpfs /dev',
    `mkdir -p ${guestTemporary}`,
    `mount -n -t tmpfs -o mode=1777 tmpfs ${guestTemporary}`,
    'mount -n -t tmpfs tmpfs /run',
    `mount -n -t tmpfs -o mode=1777 tmpfs ${scratch}`,
    shellLine(['mount', '-n', '-t', 'hostfs', '-o', folder, 'none', guestFolder]),
    `exec 2>>${guestFolder}/${saidFile}`,
    ...needed
      .filter((path) => path.startsWith(`${scratch}/`))
      .flatMap((path) => [
        shellLine(['mkdir', '-p', path]),
        shellLine(['mount', '-n', '-r', '-t', 'hostfs', '-o', path, 'none', path]),
      ]),
    ...shared.map(({ host, guest }) =>
      shellLine(['mount', '-n', '-t', 'hostfs', '-o', host, 'none', guest]),
    ),
    // Some programs take the first second of a clock for "never".
    'sleep 1',
    softirqsAhead,
    shellLine(['cd', cwd]),
    `${shellLine(['env', '-i', ...assignments, ...command])} </dev/null >${guestFolder}/${printedFile}`,
    `echo "${exitMark} $?" >&2`,
    // reboot(2) with LINUX_REBOOT_CMD_POWER_OFF: poweroff(8) is not on every machine.
    `perl -e 'syscall(169, 0xfee1dead, 672274793, 0x4321fedc, 0)'`,
    '',
  ].join('\n');
}
