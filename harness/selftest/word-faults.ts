/**
 * Faults in how the words of FLOW are read: the model and the packet that is sent have what such a
 * reader makes of them, and so agree; the switch's own ofproto/trace reads the words as they are.
 */
import { dumpedSwitch } from '../dumps/dumped-switch.js';
import type { Image } from '../ovs/process/image.js';
import type { OpenOptions } from '../testbeds/ovs-switches.js';
import { defaultBackend } from '../testbeds/registry.js';
import { compareWords, type WordsCheck } from '../trace/compare-words.js';
import { readDatapathFlow, isDatapathFlow } from '../trace/datapath-flow.js';
import { readFlow } from '../trace/packet-stimulus.js';
import { tracePackets } from '../trace/trace-packets.js';

export interface WordFault {
  readonly name: string;
  /** In the words of `check`. */
  readonly flow: string;
  /** The words as the reader takes them. */
  readonly readAs: string;
}

const inner = 'label=50,tc=0,ttl=64,bos=1';
const stack = (labels: string) => `in_port(p2),eth(),eth_type(0x8847),mpls(${labels})`;
const ipv6 = (more: string) =>
  `in_port(p1),eth(),eth_type(0x86dd),ipv6(src=::1,dst=::2,label=0,${more})`;

export const wordFaults: readonly WordFault[] = [
  {
    name: 'a reader of the last label of a stack alone',
    flow: stack(`label=60,tc=0,ttl=64,bos=0,${inner}`),
    readAs: stack(inner),
  },
  {
    name: 'a reader that leaves the labels behind the first out',
    flow: stack(`label=60,tc=0,ttl=64,bos=0,${inner}`),
    readAs: stack('label=60,tc=0,ttl=64,bos=1'),
  },
  {
    name: 'a reader that takes a port for another',
    flow: 'in_port(p1),eth()',
    readAs: 'in_port(p2),eth()',
  },
  {
    name: 'a reader that takes a fragment for a whole packet',
    flow: ipv6('proto=17,tclass=0,hlimit=3,frag=first'),
    readAs: ipv6('proto=17,tclass=0,hlimit=3,frag=no'),
  },
  {
    name: 'a reader that takes the inner tag for the outer one',
    flow: 'in_port(p1),eth(),eth_type(0x88a8),vlan(vid=5,pcp=0),encap(eth_type(0x0806))',
    readAs: 'in_port(p1),eth(),eth_type(0x88a8),vlan(vid=6,pcp=0),encap(eth_type(0x0806))',
  },
  {
    name: 'a reader that takes ECN for a part of DSCP',
    flow: 'in_port=1,ip,nw_tos=8,nw_ecn=2,nw_ttl=9',
    readAs: 'in_port=1,ip,nw_tos=40,nw_ttl=9',
  },
];

const target = dumpedSwitch([
  {
    bridge: 'br0',
    flows: { file: 'flows', text: 'priority=2,mpls,mpls_label=60,actions=p1\nactions=p3' },
    ports: {
      file: 'ports',
      text: ['1(p1)', '2(p2)', '3(p3)', 'LOCAL(br0)']
        .map((port) => ` ${port}: addr:02:00:00:00:00:01`)
        .join('\n'),
    },
  },
]);

/** What ofproto/trace and the model differ in; without a fault they agree. */
export async function tryWordFault(
  { flow, readAs }: Omit<WordFault, 'name'>,
  image: Image,
  sim: OpenOptions = {},
): Promise<WordsCheck> {
  const { text, headers = { tags: [], labels: [] } } = isDatapathFlow(readAs)
    ? readDatapathFlow(readAs, { portAt: (name) => ({ name }), tunnelOptions: new Map() })
    : { text: readAs };
  const stimulus = readFlow(text, target, undefined, { payload: undefined, headers });
  const [predicted] = tracePackets(target.plan, [stimulus]);
  const real = await defaultBackend.open({ nodes: [target.plan] }, image, sim);
  try {
    const words = isDatapathFlow(flow) ? [flow] : ['br0', flow];
    return predicted === undefined
      ? { compared: 0, differences: [] }
      : await compareWords({ words, predicted }, real, 'switch', target.plan.bridges);
  } finally {
    await real.close();
  }
}
