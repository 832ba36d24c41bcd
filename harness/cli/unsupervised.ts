/**
 * Commands that start nothing, leave nothing, and run nobody else's code: they do their work in the
 * process that was started, out of the bundle.
 */
export const unsupervised: readonly string[] = ['trace', 'list', 'history'];

/** `list NAME` may load a scenario from outside the project. */
export function isUnsupervised([command = '', ...words]: readonly string[]): boolean {
  return unsupervised.includes(command) && (command !== 'list' || words.length === 0);
}
