/** Failures as one process reports them to another. */
import { InputError, Unavailable, Unsupported } from './errors.js';
import { refusedByMachine } from './machine-refusal.js';

export interface SerialisedError {
  readonly kind: 'input' | 'unavailable' | 'unsupported' | 'bug';
  readonly message: string;
  readonly remedies: readonly string[];
  readonly evidence: readonly string[];
  readonly stack: string;
}

export function serialiseError(thrown: unknown): SerialisedError {
  const error = refusedByMachine(thrown) ?? thrown;
  const { message, stack = '' } = error instanceof Error ? error : new Error(String(error));
  const { remedies, evidence } =
    error instanceof Unavailable ? error : { remedies: [], evidence: [] };
  const kind =
    error instanceof InputError
      ? 'input'
      : error instanceof Unavailable
        ? 'unavailable'
        : error instanceof Unsupported
          ? 'unsupported'
          : 'bug';
  return { kind, message, remedies, evidence, stack };
}

/** The same in this process; of a bug with the stack of where it was. */
export function deserialiseError({
  kind,
  message,
  remedies,
  evidence,
  stack,
}: SerialisedError): Error {
  if (kind === 'input') return new InputError(message.split('\n'));
  if (kind === 'unavailable') return new Unavailable(message, remedies, evidence);
  if (kind === 'unsupported') return new Unsupported(message);
  return Object.assign(new Error(message), { stack });
}
