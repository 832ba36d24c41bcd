/**
 * How the program ends where nobody has asked it to: a scenario's code calls process.exit, or an
 * error comes up outside all that is waited for.
 */
import { InputError } from '../../base/errors/errors.js';
import { placeInScenario } from '../scenarios/scenario-code.js';

/**
 * Ends the program at once, with what is queued for `exit` done. What `process.exit` did before
 * `guardExit`.
 */
export const exitNow: (code: number) => never = process.exit.bind(process);

/** From now on `onUncaught` gets errors that nobody waits for. */
export function reportUncaught(onUncaught: (error: unknown) => void): void {
  process.on('uncaughtException', onUncaught);
  process.on('unhandledRejection', onUncaught);
}

/**
 * From now on `process.exit` is refused to scenarios, which would end the run without a verdict,
 * and `onUncaught` gets errors that nobody waits for: those of a scenario's timers and of
 * promises that are rejected late.
 */
export function guardExit(onUncaught: (error: unknown) => void): void {
  process.exit = (code) => {
    const place = placeInScenario(new Error('who calls').stack);
    if (place === undefined) return exitNow(Number(code ?? process.exitCode ?? 0));
    throw new InputError(
      `a scenario's code calls process.exit(${code ?? ''}), which would end the run without a ` +
        'verdict: leave it out, or throw an error',
      place,
    );
  };
  process.on('uncaughtException', (error: unknown) => {
    onUncaught(asScenarioError(error, 'an error that nobody caught'));
  });
  process.on('unhandledRejection', (reason) => {
    onUncaught(asScenarioError(reason, 'a promise was rejected and nobody waits for it'));
  });
}

/**
 * The error as a scenario's, where it is one; or else unchanged. What is no error at all is none of
 * the harness's, which throws nothing else.
 */
function asScenarioError(error: unknown, how: string): unknown {
  if (error instanceof InputError) return error;
  const place = error instanceof Error ? placeInScenario(error.stack) : undefined;
  if (error instanceof Error && place === undefined) return error;
  return new InputError(
    `a scenario's code goes wrong beside the run: ${how}: ${describeThrown(error)}`,
    place,
  );
}

/** What was thrown, in words: anything can be. */
export function describeThrown(thrown: unknown): string {
  if (thrown instanceof Error)
    return thrown.message === '' ? thrown.name : `${thrown.name}: ${thrown.message}`;
  if (typeof thrown === 'string') return `the text ${JSON.stringify(thrown)}`;
  if (thrown === undefined || thrown === null) return String(thrown);
  try {
    return `a value of type ${typeof thrown}: ${JSON.stringify(thrown) ?? 'none that JSON has'}`;
  } catch {
    return `a value of type ${typeof thrown}`;
  }
}
