/**
 * What the text of flows depends on beside the flows themselves: the version of OpenFlow, and the
 * names of one bridge.
 */
import type { PortNames } from './ports.js';

/** As ovs-ofctl's option -O calls the versions. The same flow has another text in each. */
export type Protocol = 'OpenFlow10' | 'OpenFlow13' | 'OpenFlow15';

/** Table numbers by name, of one bridge (`ovs-vsctl set Flow_Table … name=`). */
export type TableNames = ReadonlyMap<string, number>;

/** A Geneve option that tun_metadataN stands for on one bridge (ovs-ofctl(8), "add-tlv-map"). */
export interface TunnelOption {
  readonly class: number;
  readonly type: number;
  /** Length of the option's value in bytes: a multiple of 4, from 4 to 124. */
  readonly bytes: number;
}

/** By N of tun_metadataN. */
export type TlvMap = ReadonlyMap<number, TunnelOption>;

/** What the names in a text stand for. Parse functions take it. */
export interface Names {
  readonly ports: PortNames;
  readonly tables: TableNames;
  readonly tunnelOptions: TlvMap;
}

/**
 * How flows are printed: with names where it has any (`--names`), with numbers where it has none
 * (`--no-names`). Print functions take it.
 */
export interface Form extends Names {
  readonly protocol: Protocol;
}

/** Numbers stand for themselves. */
export const noNames: Names = { ports: new Map(), tables: new Map(), tunnelOptions: new Map() };

/** As `ovs-ofctl -O OpenFlow15 --no-names` prints: the text that identifies flows. */
export const canonical: Form = { ...noNames, protocol: 'OpenFlow15' };
