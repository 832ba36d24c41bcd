import ts from 'typescript';
import { descendants, placeOf } from './sources.js';

/**
 * Files that may read the clock or set a timer, and why; all others take time and randomness as
 * arguments.
 */
export const exceptions: Readonly<Record<string, string>> = {
  'bench/contrail.ts': 'measures',
  'bench/cost.ts': 'measures',
  'bench/nightly/measure-command.ts': 'measures',
  'bench/ovn/ovn.ts': 'measures',
  'bench/ovn/pods-in-turn.ts': 'measures',
  'bench/reruns/disturb-host.ts': 'disturbs runs at moments between their start and their end',
  'bench/reruns/reruns.ts': 'measures',
  'bench/sim.ts': 'measures',
  'bench/testbeds.ts': 'measures',
  'harness/guests/migrate-guest.ts': 'measures how long a guest is not reached',
  'harness/base/concurrency/deadline.ts': 'the one timer: it exists only to give up',
  'harness/cli/clean.ts': 'computes how old a run folder is',
  'harness/cli/runs/docker-left.live.test.ts':
    'kills at moments between the start and the end of a run, which it times',
  'harness/cli/processes/killed.live.test.ts':
    'kills at moments between the start and the end of a run, which it times',
  'harness/cli/runs/netns-left.live.test.ts':
    'kills at moments between the start and the end of a run, which it times',
  'harness/cli/nights/nightly.ts': 'holds a night to its budget, and names it by the day',
  'harness/cli/runs/play-point.ts': 'measures how long each scenario took',
  'harness/cli/selftest.ts': 'measures how long each fault took',
  'harness/cli/test.ts': 'measures how long each test took',
  'harness/cli/scenario-process/scenario-link.ts':
    'waits for an answer of another process, and gives up where none ever comes',
  'harness/cli/processes/watchdog.ts':
    'beats for the thread beside, which gives up where no beat comes',
  'harness/cli/processes/watchdog-thread.ts':
    'the timer of a thread beside, which exists only to give up',
  'harness/worlds/uml/run-in-guest.ts': 'the limit of a guest whose clock may stand for ever',
  'harness/ovn/announcing.ts': 'asks when each announcement comes, which has its time',
  'harness/ovn/learned.ts':
    "asks how long a packet has waited, which ovn-controller drops by the machine's clock",
  'harness/programs/ovn-watcher/reconnect.ts':
    'waits before it asks a server again that did not answer, longer each time',
  'harness/testbeds/netns/kernel-clock.ts':
    "asks how far the kernel's clock has run, by which its connections are forgotten",
  'harness/testbeds/sim/quiesce/clock.ts':
    'asks where a daemon has stopped its clock, so that it stands at a whole second',
  'harness/testbeds/sim/sim.live.test.ts': 'judges that a dead daemon is noticed quickly',
};

const timers = ['setTimeout', 'setInterval', 'sleep', 'delay'];
const clocks = [
  'Date.now',
  'performance.now',
  'Math.random',
  'process.hrtime',
  'process.hrtime.bigint',
  'Atomics.wait',
  'crypto.randomUUID',
  'crypto.randomBytes',
];
const modules = ['timers', 'node:timers', 'timers/promises', 'node:timers/promises'];

/** Uses of timers, clocks and unseeded randomness outside `exceptions`, one line each. */
export function timeViolations(file: ts.SourceFile): readonly string[] {
  return file.fileName in exceptions ? [] : usesOfTime(file);
}

/** The same, whatever the file is called. */
export function usesOfTime(file: ts.SourceFile): readonly string[] {
  return descendants(file).flatMap((node) => {
    const used = useIn(node);
    return used === undefined
      ? []
      : [
          `${placeOf(file, node)}: ${used}; wait for a named condition, take time and ` +
            'randomness as arguments, or give a reason in dev/tidiness/time-violations.ts',
        ];
  });
}

function useIn(node: ts.Node): string | undefined {
  if (
    ts.isImportDeclaration(node) &&
    ts.isStringLiteral(node.moduleSpecifier) &&
    modules.includes(node.moduleSpecifier.text)
  )
    return `imports ${node.moduleSpecifier.text}`;
  if (
    ts.isNewExpression(node) &&
    node.expression.getText() === 'Date' &&
    (node.arguments ?? []).length === 0
  )
    return 'new Date() reads the clock';
  if (ts.isPropertyAccessExpression(node)) {
    const name = node.getText().replace(/^globalThis\./, '');
    return clocks.includes(name) || timers.includes(name) ? name : undefined;
  }
  return ts.isCallExpression(node) &&
    ts.isIdentifier(node.expression) &&
    timers.includes(node.expression.text)
    ? node.expression.text
    : undefined;
}
