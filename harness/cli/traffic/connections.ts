/** `flowbed connections`: connections of real stacks that live through a change. */
import { openImage } from '../../../images/images.js';
import { InputError, unknownName } from '../../base/errors/errors.js';
import { liveChangeNamed, liveChanges } from '../../connections/changes.js';
import { changeFaults, type ChangeFault } from '../../connections/planted-faults.js';
import { printChange } from '../../connections/print-change.js';
import { runChange, type ChangeResult } from '../../connections/run-change.js';
import { backendNamed, backends } from '../../testbeds/registry.js';
import { exitCodes, type Context } from '../context.js';

export interface ConnectionsOptions {
  readonly backend: string;
  readonly image: string;
  readonly plant?: string;
  readonly json?: boolean;
}

/** @returns the exit code. */
export async function connections(
  context: Context,
  names: readonly string[],
  options: ConnectionsOptions,
): Promise<number> {
  const backend = backendNamed(options.backend);
  if (backend.places === undefined)
    throw new InputError(
      `backend ${backend.name} has no real hosts that talk: choose ` +
        backends
          .filter(({ places }) => places !== undefined)
          .map(({ name }) => name)
          .join(', '),
    );
  const fault = options.plant === undefined ? undefined : faultNamed(options.plant);
  const changes = names.length === 0 ? liveChanges : names.map(liveChangeNamed);
  const image = await openImage(options.image, context.say);
  const places = await backend.places(image);
  const results: (ChangeResult & { readonly name: string })[] = [];
  for (const change of changes) {
    context.say(`${change.name}: bringing up switches`);
    const { teardown } = context;
    const result = await runChange(change, {
      places,
      image,
      teardown,
      ...(fault === undefined ? {} : { fault }),
    });
    results.push({ name: change.name, ...result });
    if (options.json !== true) for (const line of printChange(change, result)) context.print(line);
  }
  const verdict = results.every((one) => one.verdict === 'conforms') ? 'conforms' : 'diverges';
  if (options.json === true)
    context.print(
      JSON.stringify({ schema: 1, backend: backend.name, image: image.name, results, verdict }),
    );
  else context.print(`verdict   ${verdict}`);
  return exitCodes[verdict];
}

function faultNamed(name: string): ChangeFault {
  const names = Object.keys(changeFaults) as ChangeFault[];
  const found = names.find((one) => one === name);
  if (found === undefined) throw unknownName('fault', name, names);
  return found;
}
