/**
 * What was asked, in a process under one that listens to signals (supervise.ts): its streams, its
 * exit code.
 */
import { takeTurnsToEnd } from '../ovs/process/ahead.js';
import { fileURLToPath } from 'node:url';
import { printable } from '../base/text/colors.js';
import { createTeardown } from '../base/concurrency/teardown.js';
import { outliveTerminals } from '../base/text/terminals.js';
import { onOneLine, visible } from '../base/text/visible.js';
import { runCommandLine } from './commands.js';
import { reportError } from './print-error.js';
import { exitCodes, type Context } from './context.js';
import { exitNow, reportUncaught } from './processes/guard-exit.js';
import { watchOutput } from './output.js';
import { endedScenarioProcess } from './scenario-process/started.js';

function createContext(): Context {
  let replaceable = false;
  let muted = false;
  const clear = () => {
    if (replaceable) process.stderr.write('\r\x1b[K');
    replaceable = false;
  };
  return {
    print: (text) => {
      clear();
      if (!muted) process.stdout.write(`${printable(text)}\n`);
    },
    say: (line) => {
      clear();
      if (muted) return;
      replaceable = process.stderr.isTTY;
      const oneLine = onOneLine(line);
      process.stderr.write(
        replaceable ? oneLine.slice(0, (process.stderr.columns || Infinity) - 1) : `${oneLine}\n`,
      );
    },
    complain: (line) => {
      clear();
      process.stderr.write(`${visible(line)}\n`);
    },
    mute: () => (muted = true),
    teardown: createTeardown(),
    root: fileURLToPath(new URL('../../..', import.meta.url)),
  };
}

/** Does what the command line asks for, and ends the process. */
export async function doWork(): Promise<void> {
  outliveTerminals();
  const context = createContext();
  const output = watchOutput(context);
  const uncaught = new Promise<number>((resolve) => {
    reportUncaught((error) => {
      resolve(reportError(error, context));
    });
  });
  const done = runCommandLine(context, process.argv.slice(2));
  const code = await Promise.race([
    done.then((code) => withScenariosStill(context, code)),
    uncaught,
  ]);
  context.mute();
  await context.teardown.run();
  // Whatever a scenario's code still has under way does not keep the program.
  const ending = await output.drain(code);
  takeTurnsToEnd();
  exitNow(ending);
}

/** A verdict counts only where the processes that ran scenarios' code have run to the end. */
function withScenariosStill(context: Context, code: number): number {
  if (code !== exitCodes.conforms && code !== exitCodes.diverges) return code;
  try {
    const how = endedScenarioProcess();
    if (how === undefined) return code;
    context.complain(`flowbed: the process that ran the scenario's code ${how} before the end`);
    return code === exitCodes.conforms ? exitCodes.inconclusive : code;
  } catch (error) {
    return reportError(error, context);
  }
}
