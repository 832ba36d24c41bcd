/** The arguments and options that `trace` and `check` share: a packet, and dumps of a switch. */
import { Option, type Command } from 'commander';

export function withPacketOptions(command: Command): Command {
  return command
    .argument(
      '[words...]',
      '[BRIDGE] FLOW [PACKET], as ofproto/trace takes it; fields without a value are zero: ' +
        'in_port=p1,tcp,nw_src=10.0.0.1,tp_dst=80',
    )
    .option('--flows <file>', 'output of ovs-ofctl dump-flows, of any OpenFlow version')
    .option('--groups <file>', 'output of ovs-ofctl dump-groups')
    .option('--meters <file>', 'output of ovs-ofctl dump-meters')
    .option('--ports <file>', 'output of ovs-ofctl show: names of ports')
    .option('--tlv-map <file>', 'output of ovs-ofctl dump-tlv-map')
    .option(
      '--bridge <name>',
      'name of the bridge of --flows; or NAME=DIR, a folder of its dumps; repeatable',
      collect,
      [],
    )
    .option('--ovsdb <file>', 'output of ovsdb-client dump or backup: ports, mirrors')
    .option('--bonds <file>', 'output of ovs-appctl bond/show: members of balance-slb')
    .option('--dpif <file>', 'output of ovs-appctl dpif/show: numbers of the datapath')
    .option('--in-port <port>', 'ingress port of --packet and --pcap: a name or a number')
    .option('--packet <hex>', 'the frame as bytes; FLOW then has in_port and metadata alone')
    .option('--pcap <file>', 'every packet of a pcap or pcapng file, in order')
    .option('--l7 <hex>', 'payload of a packet made from FLOW')
    .option('--l7-len <bytes>', 'length of that payload; 64 by default')
    .option(
      '--script <file>',
      'packets, time and changes, one a line: inject p1 FLOW, advance 30s, add-flow …',
    )
    .option('--conntrack <file>', 'connections: output of dpctl/dump-conntrack -m -s')
    .option(
      '--fdb <file>',
      'learned MACs to begin with: output of fdb/show; BRIDGE=FILE, repeatable',
      collect,
      [],
    )
    .addOption(new Option('--generate', 'as always').hideHelp())
    .addOption(new Option('--consistent', 'as always').hideHelp())
    .addOption(new Option('--names', 'as always').hideHelp());
}

/** An option that may stand several times. */
export function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}
export interface PacketOptions {
  readonly flows?: string;
  readonly groups?: string;
  readonly meters?: string;
  readonly ports?: string;
  readonly tlvMap?: string;
  /** `NAME`, which the flows of `--flows` are of, or `NAME=DIR`. */
  readonly bridge: readonly string[];
  readonly ovsdb?: string;
  readonly bonds?: string;
  readonly dpif?: string;
  /** Of trace alone: dumps of OVN's databases, which say what flows come from. */
  readonly ovnSb?: string;
  readonly ovnNb?: string;
  readonly inPort?: string;
  readonly packet?: string;
  readonly pcap?: string;
  readonly l7?: string;
  readonly l7Len?: string;
  readonly script?: string;
  /**
   * What a switch remembers when a script begins; of `fdb`, `NAME=FILE` where there are several
   * bridges.
   */
  readonly conntrack?: string;
  readonly fdb?: readonly string[];
  /** Of trace alone: what the tracker is taken to say, one by one. */
  readonly ctNext?: readonly string[];
}

/** What an option says when it is given several times: all of it, with commas between. */
export function joinRepeatedOption(value: string, before: string | undefined): string {
  return before === undefined ? value : `${before},${value}`;
}
