import { CniError, codes } from './cni-error.js';

/** Versions of the CNI specification that requests may be written in, in order. */
export const versions = ['0.2.0', '0.3.0', '0.3.1', '0.4.0', '1.0.0', '1.1.0'] as const;
export type Version = (typeof versions)[number];

export function isVersion(text: string): text is Version {
  return (versions as readonly string[]).includes(text);
}

export function isBefore(version: Version, other: Version): boolean {
  return versions.indexOf(version) < versions.indexOf(other);
}

/** The first version of the specification that has a command. */
const since: Readonly<Record<string, Version>> = {
  CHECK: '0.4.0',
  STATUS: '1.1.0',
  GC: '1.1.0',
};

/** @throws CniError for a command that the version of the request does not have. */
export function checkCommand(command: string, version: Version): void {
  const first = since[command];
  if (first !== undefined && isBefore(version, first))
    throw new CniError(
      codes.incompatibleVersion,
      `cniVersion ${version} has no ${command}: it came with ${first}`,
    );
}
