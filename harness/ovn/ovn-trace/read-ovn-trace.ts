/**
 * What ovn-trace(8) prints, read back: the logical flows that a packet met, and where it came out.
 */
import type { Supposition } from '../../domain/logical-trace.js';

export interface PrintedTrace {
  /** First digits of the UUID of each logical flow, in order. */
  readonly flows: readonly string[];
  /** Where it asks for a state, in order. */
  readonly tracked: readonly AskingFlow[];
  readonly outputs: readonly { readonly port: string; readonly type: string }[];
  readonly supposed: readonly Supposition[];
}

interface AskingFlow {
  readonly flow: string;
  /** The place of the next flow. */
  readonly next: number;
  /** Whether a flow before it has cleared the mark that the packet came with (ct_clear). */
  readonly isCleared: boolean;
}

/** ` 0. ls_in_check_port_sec (northd.c:9365): 1, priority 50, uuid d29ecaf5` */
const flowLine = /^ *\d+\. .*, priority \d+, uuid ([0-9a-f]+)$/;
/** `    /\* output to "p4", type "" *\/` */
const outputLine = /^ *\/\* output to "(.*)", type "(.*)" \*\/$/;
/** Each takes one of the states that it was given: `ct_next(ct_state=new|trk)`, `ct_lb_mark`. */
const trackedLine = /^ *ct_(next|lb)(?!.*;$)/;
/**
 * These do where the packet has none: `ct_dnat(ip4.dst=10.10.1.3)`, `ct_snat` without an address,
 * `ct_commit_nat`, `ct_commit_to_zone(dnat)` (OVN utilities/ovn-trace.c, "ct(nat) implies ct()").
 */
const trackedOnceLine = /^ *ct_([ds]nat(_in_czone|in_czone)?\b|commit_(nat|to_zone)\b)(?!.*;$)/;
const pipelineLine = /^( *)(?:ingress|egress)\(dp=/;
/** Copies of a multicast group stand below it, four columns further in. */
const copiesLine = /^( *)multicast\(dp=/;

/**
 * It knows no connections that were translated, no affinity that flows have learned, nothing of
 * Static_MAC_Binding, no backend but the one that it is given, and its resets have the ports of the
 * segment that they answer. It ends at `ct_snat` of a gateway router, and at the chassisredirect
 * port of a switch whose router has a distributed gateway port.
 */
const suppositions = [
  /\/\* assuming no un-/,
  /= chk_lb_aff\(\);/,
  /\/\* No MAC binding\. \*\//,
  /\(use --(lb-dst|select-id)/,
  /^ *tcp_reset$/,
  /^ *ct_snat;$/,
  /output to "cr-.*", type "chassisredirect"/,
  /^ *\*\*\* /,
];

function isSupposed(line: string): boolean {
  return suppositions.some((pattern) => pattern.test(line));
}

/** From one pipeline to the next ovn-controller clears the state of the connection (ct_clear). */
const keptState = 'the state of the connection is kept from the pipeline before';

/**
 * It is the request that continues; OVN's answer is sent to the address that is leased, unless the
 * client wants a broadcast (RFC 2131 section 4.1).
 */
const requestLine = '/* We assume that this packet is DHCPDISCOVER or DHCPREQUEST. */';
const keptAddress = 'put_dhcp_opts leaves ip4.dst as it is';

/** What is no IP gets no answer from OVN; ovn-trace makes one. */
const answerLine = /^ *(icmp4|icmp4_error|icmp6|icmp6_error|tcp_reset|sctp_abort)$/;

export function readOvnTrace(text: string): PrintedTrace {
  const isArp = text.startsWith('# arp');
  const flows: string[] = [];
  const tracked: AskingFlow[] = [];
  const outputs: { readonly port: string; readonly type: string }[] = [];
  const supposed: { what: string; from: number; to?: number; field?: string }[] = [];
  let [isTracked, isCleared] = [false, false];
  const ofCopies = new Map<number, readonly [isTracked: boolean, isCleared: boolean]>();
  let stale: { what: string; from: number; to?: number } | undefined;
  const refresh = (state: boolean) => {
    isTracked = state;
    if (stale !== undefined) stale.to = flows.length;
    stale = undefined;
  };
  for (const line of text.split('\n')) {
    const [, flow] = flowLine.exec(line) ?? [];
    const [, port, type] = outputLine.exec(line) ?? [];
    const [, copies] = copiesLine.exec(line) ?? [];
    const [, pipeline] = pipelineLine.exec(line) ?? [];
    const ofCopy = pipeline === undefined ? undefined : ofCopies.get(pipeline.length);
    if (copies !== undefined) ofCopies.set(copies.length + 4, [isTracked, isCleared]);
    if (ofCopy !== undefined) {
      refresh(ofCopy[0]);
      isCleared = ofCopy[1];
    }
    if (flow !== undefined) flows.push(flow);
    else if (port !== undefined && type !== 'chassisredirect')
      outputs.push({ port, type: type ?? '' });
    else if (trackedLine.test(line) || trackedOnceLine.test(line)) {
      if (trackedLine.test(line) || !isTracked) {
        tracked.push({ flow: flows.at(-1) ?? '', next: flows.length, isCleared });
        refresh(true);
      }
      if (isSupposed(line)) supposed.push({ what: line.trim(), from: flows.length });
    } else if (line.trim() === 'ct_clear;') {
      refresh(false);
      isCleared = true;
    } else if (pipeline !== undefined && isTracked && stale === undefined)
      supposed.push((stale = { what: keptState, from: flows.length }));
    else if (isArp && answerLine.test(line))
      supposed.push({ what: `${line.trim()} for what is no IP`, from: flows.length });
    else if (line.trim() === requestLine)
      supposed.push({ what: keptAddress, from: flows.length, field: 'ip4.dst' });
    else if (isSupposed(line)) supposed.push({ what: line.trim(), from: flows.length });
  }
  return { flows, tracked, outputs, supposed };
}
