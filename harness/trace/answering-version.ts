/** Whose behaviour the model answers with. */
import { InputError } from '../base/errors/errors.js';
import { isBefore, newest, oldest, parseVersion, type Version } from '../model/behaviour.js';

/**
 * @param text of `--as`: a version of Open vSwitch; the newest that the model knows where it is
 *   missing. @throws InputError for another text, and for a version that nobody has compared.
 */
export function readAnsweringVersion(text: string | undefined): Version {
  if (text === undefined) return newest;
  const version = /^\d+\.\d+(\.\d+)?$/.test(text) ? parseVersion(text) : undefined;
  if (version === undefined || isBefore(version, oldest) || isBefore(newest, version))
    throw new InputError(
      `--as: expected a version of Open vSwitch from ${oldest.join('.')} to ` +
        `${newest.join('.')}, got "${text}"`,
    );
  return version;
}
