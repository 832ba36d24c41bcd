/**
 * `flowbed intent`: what Kubernetes and Antrea promise in a network, cell by cell, without a
 * switch.
 */
import { intentAsJson, renderIntent } from '../../reports/render-intent.js';
import { InputError } from '../base/errors/errors.js';
import { truthTableOf } from '../run/coverage/truth-table.js';
import { antrea } from '../control/antrea/index.js';
import { exitCodes, type Context } from './context.js';
import { networkOf, type NetworkOptions } from './runs/run-spec.js';

export interface IntentOptions extends NetworkOptions {
  readonly json?: boolean;
}

/** @returns 0: promises are no verdict. @throws InputError for a network that is none. */
export async function intent(context: Context, options: IntentOptions): Promise<number> {
  const given = await networkOf(options, (note) => {
    context.complain(`note: ${note}`);
  });
  if (given === undefined)
    throw new InputError('whose promises? Give --manifests PATH, or --topology FILE');
  const table = truthTableOf(given.network, antrea('1.3'));
  context.print(options.json === true ? intentAsJson(table) : renderIntent(table));
  return exitCodes.conforms;
}
