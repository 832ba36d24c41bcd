/**
 * What shapes of records are made of: addresses and numbers in their ranges, and objects of which
 * every field that the program knows has to be named.
 */
import { z } from 'zod';
import { ipv4Number, macBytes, parseCidr } from '../../base/addresses/mac-and-ipv4.js';
import { complaint } from '../../base/errors/errors.js';
import { addressBlock, addressNumber } from '../../base/addresses/ip-address.js';

/** A shape for each field of `T`, those that may be missing as well. */
export type ShapeOf<T> = { readonly [Name in keyof Required<T>]: z.ZodType };

/** An object that has these fields; others are left as they are. */
export const looseShape = <Shape extends z.ZodRawShape>(shape: Shape) => z.looseObject(shape);

export const texts = z.array(z.string());

function read(what: (text: string) => unknown) {
  return z.string().check(({ value, issues }) => {
    const message = complaint(() => what(value));
    if (message !== undefined) issues.push({ code: 'custom', input: value, message });
  });
}

/** `0a:00:0a:0a:00:01` */
export const mac = read(macBytes);
/** `10.10.0.1` */
export const ipv4 = read(ipv4Number);
/** `10.10.0.0/24` */
export const ipv4Block = read(parseCidr);
/** `10.10.0.1` or `fd00::1` */
export const address = read(addressNumber);
/** `10.10.0.0/24` or `fd00::/64` */
export const block = read(addressBlock);

export const within = (least: number, most: number) => z.int().min(least).max(most);
export const portNumber = within(0, 0xffff);
/** Seconds, or times, that 32 bits can count. */
export const count = within(0, 0x7fffffff);
export const prefixLength = within(0, 32);
