/** Packets that are alike to the logical flows of a scenario: ovn-trace is asked once. */
import { emptyKey, word } from '../../packet/flow-key/flow-key.js';
import { extract } from '../../packet/flow-key/extract/extract.js';
import type { LogicalPassage } from './logical-passages.js';

/** From there on hosts take ports for one connection each (ip-sysctl(7), ip_local_port_range). */
const firstEphemeral = 32_768;

/**
 * The same for packets that differ in ephemeral ports and flags of TCP alone, and to which the
 * connection tracker says the same, state and mark.
 */
export function alikeKey({ node, logicalPort, frame, tracked }: LogicalPassage): string {
  const key = emptyKey();
  extract(frame, key);
  for (const port of [word.tpSrc, word.tpDst])
    if ((key[port] ?? 0) >= firstEphemeral) key[port] = firstEphemeral;
  key[word.tcpFlags] = 0;
  return JSON.stringify([
    node,
    logicalPort,
    [...key.subarray(word.ethSrc)],
    tracked.map(({ state, mark }) => [state, mark]),
  ]);
}
