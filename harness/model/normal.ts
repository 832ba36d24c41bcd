/** The NORMAL action: a learning switch without VLANs (ovs-actions(7), "normal"). */
import { Unsupported } from '../base/errors.js';
import { isTag, word, type FlowKey } from '../packet/flow-key.js';

/** Learned addresses of one bridge: MAC (48 bits as a number) to OpenFlow port. */
export type MacTable = Map<number, number>;

/** Destinations that bridges keep to themselves: those of IEEE 802.1D, table 7-10, and of protocols of Cisco and Extreme (ovs-vswitchd.conf.db(5), "forward-bpdu"). */
const reserved = [
  [0x0180c2000000, 0x0180c200000f], [0x01000c000000, 0x01000c000000], [0x01000cccccc0, 0x01000cccccc7], [0x01000ccccccc, 0x01000ccccccd], [0x01000ccdcdcd, 0x01000ccdcdcd],
  [0x00e02b000000, 0x00e02b000000], [0x00e02b000004, 0x00e02b000004], [0x00e02b000006, 0x00e02b000006],
] as const;
const multicastBit = 0x010000000000;

/**
 * Learns the sender and tells where the packet goes.
 * @returns OpenFlow ports in rising order, never the one it came from; empty for a packet that stays.
 */
export function normal(table: MacTable, key: FlowKey, ports: readonly number[]): readonly number[] {
  const inPort = key[word.inPort] ?? 0;
  if (!ports.includes(inPort)) return [];
  if (key[word.vlanTci] !== 0) throw new Unsupported('the model does not know VLAN tags in the NORMAL action');
  if (isTag(key[word.ethType] ?? 0)) return []; // a tag that is cut off
  const source = mac(key, word.ethSrc);
  const destination = mac(key, word.ethDst);
  if (reserved.some(([first, last]) => destination >= first && destination <= last)) return [];
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
