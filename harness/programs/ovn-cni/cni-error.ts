/** Failures as the CNI specification has them ("Error"). */

export const codes = {
  incompatibleVersion: 1,
  unsupportedField: 2,
  unknownContainer: 3,
  invalidEnvironment: 4,
  ioFailure: 5,
  decodingFailure: 6,
  invalidConfig: 7,
  tryAgainLater: 11,
  /** STATUS: no ADD can be serviced. */
  notAvailable: 50,
  /** From here on codes are the plugin's own. */
  alreadyAttached: 100,
  notAsAdded: 101,
  failed: 102,
} as const;

export class CniError extends Error {
  override readonly name = 'CniError';
  /** @param details what can be done about it, or what was seen. */
  constructor(
    readonly code: number,
    message: string,
    readonly details = '',
  ) {
    super(message);
  }
}

/** What CHECK finds. */
export function notAsAdded(message: string): CniError {
  return new CniError(codes.notAsAdded, message);
}
