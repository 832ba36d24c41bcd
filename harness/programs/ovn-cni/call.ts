/** What a command of the CNI specification works with. */
import { readFile } from 'node:fs/promises';
import { CniError, codes } from './cni-error.js';
import { openDatabase, type Database } from './databases.js';
import type { NetworkConfig } from './network-config.js';

export interface Call {
  readonly config: NetworkConfig;
  readonly node: string;
  northbound(): Promise<Database>;
  openvswitch(): Promise<Database>;
}

/** Calls `work`, and hangs up on both databases when it is done. */
export async function withCall<T>(
  config: NetworkConfig,
  work: (call: Call) => Promise<T>,
): Promise<T> {
  const openings: Promise<Database>[] = [];
  const remember = (opening: Promise<Database>) => {
    openings.push(opening);
    return opening;
  };
  try {
    return await work({
      config,
      node: config.node ?? (await machineId()),
      northbound: () => remember(openDatabase('OVN_Northbound', config.northbound)),
      openvswitch: () => remember(openDatabase('Open_vSwitch', config.openvswitch)),
    });
  } finally {
    // One may not answer while the other is still being connected to.
    for (const opening of await Promise.allSettled(openings))
      if (opening.status === 'fulfilled') opening.value.close();
  }
}

/** machine-id(5): what kubelet calls the machine as well. */
export async function machineId(): Promise<string> {
  const id = await readFile('/etc/machine-id', 'utf8').catch(() => '');
  if (/^[0-9a-f]{32}\n?$/.test(id)) return id.trim();
  throw new CniError(
    codes.invalidConfig,
    '/etc/machine-id says nothing, and "node" is not in the network configuration',
  );
}
