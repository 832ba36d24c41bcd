/**
 * The small interface that the model and every real testbed implement, and that the fabric asks
 * for: frames in at a port, frames out of ports, time.
 */

import type { FlowChange } from './plan/flow-change.js';
import type { NodePlan } from './plan/cluster-plan.js';
import type { UnderlayPlan } from './plan/bridge-plan.js';
import type { PortPlan } from './plan/port-plan.js';

/**
 * What the fabric asks of one node's switches; at most one call a node at an instant, one port a
 * call.
 */
export type FabricCall =
  | {
      readonly kind: 'receive';
      readonly node: string;
      readonly port: string;
      readonly frames: readonly Uint8Array[];
      /**
       * No frame changes what another one of them meets: switches may take all of them before they
       * quiesce.
       */
      readonly areApart?: true;
    }
  | { readonly kind: 'advance'; readonly node: string; readonly ms: number }
  /**
   * What ovn-controller makes known by itself comes out for the `copy`th time: all of it, or that
   * of `address` alone.
   */
  | {
      readonly kind: 'announce';
      readonly node: string;
      readonly copy: number;
      readonly address?: string;
    };

/** What can be asked of one node's switches: packets, time, and what those do who run them. */
export type SwitchCall =
  | FabricCall
  | FlowChange
  /**
   * The interface at a port goes down or comes up. While it is down the switch knows, and what goes
   * out of it or into it is lost.
   */
  | {
      readonly kind: 'link';
      readonly node: string;
      readonly port: string;
      readonly state: 'up' | 'down';
    }
  /**
   * Connections are forgotten: all, those of one zone, or the one whose first direction is `tuple`,
   * as `ct_nw_src=10.0.0.1,ct_nw_dst=10.0.0.2,ct_nw_proto=17,ct_tp_src=4000,ct_tp_dst=7`
   * (ovs-vswitchd(8), "dpctl/flush-conntrack").
   */
  | {
      readonly kind: 'flush';
      readonly node: string;
      readonly zone?: number;
      readonly tuple?: string;
    };

/**
 * Changes of a cluster's switches themselves, beside what they hold: their ports, neighbours on the
 * underlay, daemons, whole nodes.
 */
export type Reconfiguration =
  | {
      readonly kind: 'attach';
      readonly node: string;
      readonly bridge: string;
      readonly port: PortPlan;
    }
  | {
      readonly kind: 'detach';
      readonly node: string;
      readonly bridge: string;
      readonly port: string;
    }
  /** The neighbours that the node's tunnels reach are now these. */
  | {
      readonly kind: 'neighbours';
      readonly node: string;
      readonly bridge: string;
      readonly neighbours: UnderlayPlan['neighbours'];
    }
  /**
   * Its ovs-vswitchd ends and is started again: ports are as the database has them; flows, groups,
   * connections, and all that was learned, are gone. `whole`: its ovsdb-server ends as well, and
   * the network that both are in, or their container; all of it comes again, with the database.
   */
  | { readonly kind: 'restart'; readonly node: string; readonly whole?: true }
  /**
   * Others have programmed its switches, and they are as in the plan now: all flows count from
   * zero; connections, and what was learned, are as before.
   */
  | { readonly kind: 'programmed'; readonly node: string; readonly plan: NodePlan }
  /** A node joins with all of its plan; one leaves. */
  | { readonly kind: 'join'; readonly node: string; readonly plan: NodePlan }
  | { readonly kind: 'leave'; readonly node: string };

/**
 * What a node's switches did with one call: every frame that came out, sorted by port name, in
 * order a port.
 */
export interface SwitchStep {
  readonly outputs: readonly { readonly port: string; readonly frame: Uint8Array }[];
  /**
   * Packet-ins, in order for each bridge and controller; missing where the testbed does not observe
   * it.
   */
  readonly packetIns?: readonly PacketIn[];
}

/**
 * A packet that a switch sends to controllers (OpenFlow 1.5, section 7.4.1; ovs-actions(7),
 * "controller").
 */
export interface PacketIn {
  readonly bridge: string;
  /** The connection id of its receivers. */
  readonly controller: number;
  readonly reason: 'no_match' | 'action' | 'invalid_ttl' | 'action_set' | 'group' | 'packet_out';
  /**
   * Of the flow that sent it. Open vSwitch says 0 for both where an action set sent it, or the
   * packet waits.
   */
  readonly table: number;
  readonly cookie: bigint;
  /**
   * Bytes of the whole packet. `frame` is all of them whatever max_len asks for: switches without
   * packet buffers cut nothing.
   */
  readonly length: number;
  readonly frame: Uint8Array;
  /**
   * What is known of the packet beside its bytes, as a match: port, registers, metadata, tunnel,
   * connection.
   */
  readonly metadata: string;
  readonly userdata: readonly number[];
  /** The packet waits for the controller to resume it. */
  readonly paused: boolean;
}

/**
 * Packets that asked the datapath's cache for what to do: those it answered, and those that had to
 * be translated.
 */
export interface CacheLookups {
  readonly hit: number;
  readonly missed: number;
}

/** The identity of a flow on a node: what OpenFlow calls it by, as one canonical text. */
export interface FlowId {
  readonly node: string;
  readonly bridge: string;
  readonly table: number;
  readonly priority: number;
  /** The match as ovs-ofctl prints it, in canonical order; empty for the table-miss flow. */
  readonly match: string;
}

/** `table=70, priority=200,ip,nw_dst=10.10.1.0/24`, as a line of dump-flows begins. */
export function formatFlowId(flow: FlowId): string {
  return (
    `table=${flow.table}, ` +
    `priority=${flow.priority}${flow.match === '' ? '' : `,${flow.match}`}`
  );
}

/** What a flow counted: n_packets and n_bytes of a dump. */
export interface PacketCounts {
  readonly packets: number;
  readonly bytes: number;
}

/**
 * What a flow counted since the last `reset`; less than nothing where it was replaced meanwhile.
 */
export interface FlowCount extends PacketCounts {
  readonly flow: FlowId;
  /**
   * By so many bytes a switch may count more: the outer headers of tunnels that packets went into
   * before they matched the flow, which Open vSwitch counts where its datapath's cache answered
   * (ofproto/ofproto-dpif-xlate-cache.c, XC_TUNNEL_HEADER). Predicted by the model alone, and
   * missing where it is none.
   */
  readonly outerBytes?: number;
}
