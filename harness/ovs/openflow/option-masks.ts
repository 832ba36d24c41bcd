/**
 * Masks of tunnel options: `ovs-ofctl dump-flows` knows no tlv-map, and prints a part of an option
 * that is matched as if all of it were; `bridge/dump-flows` (ovs-vswitchd(8)) prints the mask.
 */

/** What most flows do not have. */
const tunnelOption = 'tun_metadata';

/** @param shown what `bridge/dump-flows` prints of the same bridge. */
export function withOptionMasks(flows: readonly string[], shown: string): readonly string[] {
  const masked = new Map<string, string>();
  for (const line of shown.split('\n')) {
    if (!line.includes(tunnelOption)) continue;
    const { key, match } = partsOf(line, /,?\s*actions=/);
    if (/\btun_metadata\d+=[^,/]+\//.test(match)) masked.set(key, match);
  }
  if (masked.size === 0) return flows;
  return flows.map((flow) => {
    if (!flow.includes(tunnelOption)) return flow;
    const { key, match } = partsOf(flow, /,? actions=/);
    const found = /\btun_metadata\d+=/.test(match) ? masked.get(key) : undefined;
    return found === undefined ? flow : flow.replace(match, found);
  });
}

/** A flow's match from its priority on, and what stays the same of it without masks of options. */
function partsOf(line: string, end: RegExp): { readonly key: string; readonly match: string } {
  const [head = ''] = line.split(end);
  const start = head.indexOf('priority=');
  const match = start < 0 ? '' : head.slice(start);
  const table = /\btable(?:_id)?=(\d+)/.exec(head)?.[1] ?? '0';
  return { key: `${table} ${match.replace(/\b(tun_metadata\d+=[^,/]+)\/[^,]+/g, '$1')}`, match };
}
