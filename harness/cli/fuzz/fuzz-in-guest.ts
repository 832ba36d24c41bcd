/** `flowbed fuzz --world uml`. */
import { openImage } from '../../../images/images.js';
import { InputError, unknownName } from '../../base/errors/errors.js';
import type { Context } from '../context.js';
import { commandInGuest } from '../runs/command-in-guest.js';

/** As it was typed. */
interface Request {
  readonly seed: string;
  readonly image: string;
  readonly world?: string;
  readonly freeze?: string;
  readonly frozen?: string;
  readonly shrink?: boolean;
  readonly json?: true;
}

/** The same in a guest, whose output is this one's. @throws InputError, Unavailable as it does. */
export async function fuzzInGuest(
  context: Context,
  languageName: string,
  { world, json, freeze, shrink, ...options }: Request,
  names: readonly string[],
): Promise<number> {
  if (world !== 'uml') throw unknownName('world', world ?? '', ['host', 'uml']);
  if (freeze !== undefined)
    throw new InputError('--freeze writes files, which nothing in a guest does: see --json');
  for (const name of names) await openImage(name, context.say);
  const words = Object.entries<string>(options).flatMap(([option, value]) => [
    `--${option}`,
    value,
  ]);
  const given = ['fuzz', languageName, ...words];
  if (json === true) given.push('--json');
  if (shrink === false) given.push('--no-shrink');
  const { code, printed } = await commandInGuest(context, given, Number(options.seed));
  context.print(printed.trimEnd());
  return code;
}
