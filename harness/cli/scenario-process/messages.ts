/** What the process that makes verdicts and the one that runs scenarios' code say to each other. */
import { deserialize, serialize } from 'node:v8';
import type { Place } from '../../base/errors/errors.js';
import type { SerialisedError } from '../../base/errors/serialised-error.js';
import type { Stimulus } from '../../domain/test-vector.js';

/** A value of a scenario, as it looks from outside: data, and functions that can be called. */
export type Shape =
  | { readonly kind: 'data'; readonly value: unknown }
  /** Flowbed's own, by its name. */
  | { readonly kind: 'own'; readonly name: string }
  | { readonly kind: 'function' }
  | { readonly kind: 'object'; readonly members: Readonly<Record<string, Shape>> };

/** An argument: by its number, where the other process has it already. */
export type Argument =
  | { readonly kind: 'known'; readonly id: number }
  | { readonly kind: 'given'; readonly value: unknown }
  /** From now on it is known by `id`. */
  | { readonly kind: 'introduced'; readonly id: number; readonly value: unknown };

export type Request =
  /** Loads the module: its default export is called `scenario` from now on. */
  | {
      readonly kind: 'load';
      readonly scenario: number;
      readonly file: string;
      readonly name: string;
    }
  /** Calls the function at `path`: `['controlPlane', 'plan']`. */
  | {
      readonly kind: 'call';
      readonly scenario: number;
      readonly path: readonly string[];
      readonly args: readonly Argument[];
    }
  /** `intent` of each of them. */
  | {
      readonly kind: 'intents';
      readonly scenario: number;
      readonly topology: Argument;
      readonly stimuli: readonly Stimulus[];
    }
  /** Answered once all that had been begun beside has had its turn. */
  | { readonly kind: 'finish' };

/** What was thrown: an error of Flowbed's; or what a function did instead: `threw Error: no`. */
export type Thrown =
  | { readonly kind: 'error'; readonly error: SerialisedError }
  | { readonly kind: 'described'; readonly did: string; readonly place?: Place };

export type Outcome =
  | { readonly kind: 'given'; readonly value: unknown }
  | { readonly kind: 'threw'; readonly thrown: Thrown };

export type Answer =
  | {
      readonly kind: 'given';
      readonly value: unknown;
      /** Parts of `value` that are known from now on, by numbers from `firstId` on. */
      readonly known: readonly object[];
      readonly firstId: number;
    }
  | { readonly kind: 'threw'; readonly thrown: Thrown }
  /** No answer: something of it went wrong that nobody waits for, or does not come back. */
  | { readonly kind: 'beside'; readonly error: SerialisedError };

/** Bytes of a message, behind four that say how many they are. */
export function framed(message: Request | Answer): Buffer {
  const bytes = serialize(message);
  const head = Buffer.alloc(4);
  head.writeUInt32LE(bytes.length);
  return Buffer.concat([head, bytes]);
}

/** @throws where they are no message. */
export function unframed(bytes: Uint8Array): unknown {
  return deserialize(bytes);
}

/** Gives the bytes of each message, once all of them have come. */
export function frameReader(onFrame: (bytes: Uint8Array<ArrayBuffer>) => void) {
  let waiting = Buffer.alloc(0);
  let parts: Buffer[] = [];
  let length = 0;
  return (chunk: Buffer): void => {
    parts.push(chunk);
    length += chunk.length;
    const needed = waiting.length >= 4 ? 4 + waiting.readUInt32LE() : 4;
    if (length < needed) return;
    waiting = Buffer.concat(parts);
    while (waiting.length >= 4 && waiting.length >= 4 + waiting.readUInt32LE()) {
      const end = 4 + waiting.readUInt32LE();
      onFrame(new Uint8Array(waiting.subarray(4, end)));
      waiting = waiting.subarray(end);
    }
    parts = [waiting];
    length = waiting.length;
  };
}
