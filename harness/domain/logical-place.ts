/** Where of OVN's logical pipelines a flow is from, by what it was compiled from. */

/** Names the datapaths, joined by +, and the pipeline: `n1 ingress 28 ls_in_l2_lkup priority=…`. */
const logicalFlow = /^(\S+) (ingress|egress) \d+ \S+ priority=/;

export interface LogicalPlace {
  readonly datapaths: readonly string[];
  readonly pipeline: string;
}

/** Undefined of what is about a port, a group or a chassis. */
export function logicalPlaceOf(source: string): LogicalPlace | undefined {
  const [, datapaths, pipeline] = logicalFlow.exec(source) ?? [];
  return datapaths === undefined || pipeline === undefined
    ? undefined
    : { datapaths: datapaths.split('+'), pipeline };
}

/**
 * The place behind `before`, and whether a packet has come into another one: a flow that several
 * datapaths share is of the one that the packet is in.
 */
export function nextPlace(
  before: LogicalPlace | undefined,
  source: string,
): { readonly place: LogicalPlace | undefined; readonly title?: string } {
  const place = logicalPlaceOf(source);
  if (place === undefined) return { place: before };
  const shared = place.datapaths.filter((name) => before?.datapaths.includes(name) ?? false);
  if (before?.pipeline === place.pipeline && shared.length > 0)
    return { place: { ...place, datapaths: shared } };
  return { place, title: `${place.pipeline}(dp="${place.datapaths.join('+')}")` };
}
