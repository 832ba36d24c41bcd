import { CommanderError } from 'commander';
import type { Unavailable } from '../base/errors/errors.js';
import { InputError, Unsupported } from '../base/errors/errors.js';
import { refusedByMachine } from '../base/errors/machine-refusal.js';
import { exitCodes, type Context } from './context.js';
import { writtenStack } from './bundle/written-stack.js';

/** Prints what the environment refused, and what to do about it. */
export function printUnavailable(
  { message, evidence, remedies }: Unavailable,
  context: Pick<Context, 'complain'>,
): void {
  context.complain(`flowbed: ${message}`);
  for (const line of evidence) context.complain(`    ${line}`);
  for (const remedy of remedies) context.complain(`  - ${remedy}`);
}
/** Prints what ended a command. @returns the exit code. */

export function reportError(error: unknown, context: Pick<Context, 'complain'>): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.badRequest;
  if (error instanceof InputError) {
    context.complain(`flowbed: ${error.message}`);
    return exitCodes.badRequest;
  }
  const refused = refusedByMachine(error);
  if (refused !== undefined) {
    printUnavailable(refused, context);
    return exitCodes.inconclusive;
  }
  if (error instanceof Unsupported) {
    context.complain(`flowbed: ${error.message}`);
    return exitCodes.inconclusive;
  }
  context.complain(
    error instanceof Error ? writtenStack(error.stack ?? error.message) : String(error),
  );
  return exitCodes.bug;
}
