/** Flows as the bytes of a reply (OpenFlow 1.5, section 7.3.5.2, ofp_flow_desc). */

/** What stands in front of the match. */
const headBytes = 24;
const lengthAt = 2;

/**
 * The same flows with zeros where their statistics are: those alone differ where packets or time
 * have passed, but nothing has changed.
 * @param flows any number, one behind the other.
 * @returns undefined where it is cut off.
 */
export function withoutStatistics(flows: Buffer): Buffer | undefined {
  const same = Buffer.from(flows);
  for (let at = 0; at < same.length; ) {
    const end = at + (at + headBytes <= same.length ? same.readUInt16BE(at) : 0);
    if (end < at + headBytes || end > same.length) return undefined;
    const statistics = behindStructure(same, at + headBytes, end);
    const instructions = statistics && behindStructure(same, statistics, end);
    if (statistics === undefined || instructions === undefined) return undefined;
    same.fill(0, statistics + lengthAt + 2, instructions);
    at = end;
  }
  return same;
}

/** Behind a match, or statistics (ofp_match, ofp_stats), filled up to a multiple of 8 bytes. */
function behindStructure(bytes: Buffer, at: number, end: number): number | undefined {
  if (at + 4 > end) return undefined;
  const behind = at + Math.ceil(bytes.readUInt16BE(at + lengthAt) / 8) * 8;
  return behind > at && behind <= end ? behind : undefined;
}
