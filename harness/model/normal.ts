/** The NORMAL action: a learning switch without VLANs (ovs-actions(7), "normal"). */
import { Unsupported } from '../base/errors.js';
import { word, type FlowKey } from '../packet/flow-key.js';

/** Learned addresses of one bridge: MAC (48 bits as a number) to OpenFlow port. */
export type MacTable = Map<number, number>;

/** Destinations that bridges keep to themselves (IEEE 802.1D, table 7-10): 01:80:c2:00:00:00 to 0f. */
const reserved = { first: 0x0180c2000000, last: 0x0180c200000f } as const;
const multicastBit = 0x010000000000;

/**
 * Learns the sender and tells where the packet goes.
 * @returns OpenFlow ports in rising order, never the one it came from; empty for a packet that stays.
 */
export function normal(table: MacTable, key: FlowKey, ports: readonly number[]): readonly number[] {
  if (key[word.vlanTci] !== 0) throw new Unsupported('the model does not know VLAN tags in the NORMAL action');
  const inPort = key[word.inPort] ?? 0;
  const source = mac(key, word.ethSrc);
  const destination = mac(key, word.ethDst);
  if (destination >= reserved.first && destination <= reserved.last) return [];
  if (!isMulticast(source)) table.set(source, inPort);
  const learned = isMulticast(destination) ? undefined : table.get(destination);
  if (learned !== undefined) return learned === inPort ? [] : [learned];
  return ports.filter((port) => port !== inPort).sort((a, b) => a - b);
}

function mac(key: FlowKey, at: number): number {
  return (key[at] ?? 0) * 0x1_0000_0000 + (key[at + 1] ?? 0);
}

function isMulticast(address: number): boolean {
  return Math.floor(address / multicastBit) % 2 === 1;
}
