/** What ovn-trace(8) prints, read back: the logical flows that a packet met, and where it came out. */

export interface PrintedTrace {
  /** First digits of the UUID of each logical flow, in order. */
  readonly flows: readonly string[];
  /** Of each ct_next, in order: the flow that it belongs to. */
  readonly tracked: readonly string[];
  readonly outputs: readonly { readonly port: string; readonly type: string }[];
  /** The first thing that it supposes, once it has met so many flows. */
  readonly supposed?: { readonly what: string; readonly after: number };
}

/** ` 0. ls_in_check_port_sec (northd.c:9365): 1, priority 50, uuid d29ecaf5` */
const flowLine = /^ *\d+\. .*, priority \d+, uuid ([0-9a-f]+)$/;
/** `    /\* output to "p4", type "" *\/` */
const outputLine = /^ *\/\* output to "(.*)", type "(.*)" \*\/$/;

/**
 * It knows no connections that were translated, nothing of Static_MAC_Binding, no backend but the
 * one that it is told, and its resets have the ports of the segment that they answer.
 */
const suppositions = [
  /\/\* assuming no un-/,
  /\/\* No MAC binding\. \*\//,
  /\(use --(lb-dst|select-id)/,
  /^tcp_reset$/,
  /^ *\*\*\* /,
];

export function readOvnTrace(text: string): PrintedTrace {
  const flows: string[] = [];
  const tracked: string[] = [];
  const outputs: { readonly port: string; readonly type: string }[] = [];
  let supposed: PrintedTrace['supposed'];
  for (const line of text.split('\n')) {
    const [, flow] = flowLine.exec(line) ?? [];
    const [, port, type] = outputLine.exec(line) ?? [];
    const at = flows.at(-1) ?? '';
    if (flow !== undefined) flows.push(flow);
    else if (port !== undefined) outputs.push({ port, type: type ?? '' });
    else if (/^ct_next\(/.test(line)) tracked.push(at);
    else if (suppositions.some((pattern) => pattern.test(line)))
      supposed ??= { what: line.trim(), after: flows.length };
  }
  return { flows, tracked, outputs, ...(supposed === undefined ? {} : { supposed }) };
}
