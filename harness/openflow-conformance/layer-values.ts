/** Values of a corpus packet's layer, by their type. */
import { InputError } from '../base/errors/errors.js';
import { isList, isCall, type Call } from './expression.js';

export function numberOf(call: Call, name: string, missing: number): number {
  const value = call.arguments.get(name) ?? BigInt(missing);
  if (typeof value !== 'bigint')
    throw new InputError(`${call.name} of the corpus wants a number for ${name}`);
  return Number(value);
}

export function textOf(call: Call, name: string, missing: string): string {
  const value = call.arguments.get(name) ?? missing;
  if (typeof value !== 'string')
    throw new InputError(`${call.name} of the corpus wants a text for ${name}`);
  return value;
}

export function bytesOf(call: Call, name: string): Uint8Array {
  const value = call.arguments.get(name) ?? new Uint8Array();
  if (!(value instanceof Uint8Array))
    throw new InputError(`${call.name} of the corpus wants bytes for ${name}`);
  return value;
}

export function listOf(call: Call, name: string): readonly Call[] {
  const value = call.arguments.get(name) ?? [];
  if (!isList(value) || !value.every(isCall))
    throw new InputError(`${call.name} of the corpus wants a list for ${name}`);
  return value;
}
