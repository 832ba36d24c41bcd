/** In the environment of a run that takes place in a world of its own, with that world's name. */
export const worldVariable = 'FLOWBED_WORLD';

/** Whether this run takes place in a world where computing takes no time. */
export function isInWorld(): boolean {
  return process.env[worldVariable] !== undefined;
}
