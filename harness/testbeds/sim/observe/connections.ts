/**
 * The connection table of one node's datapath. Asked as a whole it goes through all 65,536 zones,
 * which takes longer than a packet; so the zones that the node's flows name are asked, and the
 * number of connections shows whether there are others.
 */
import { endianness } from 'node:os';
import { once } from '../../../base/once-per.js';
import { InputError } from '../../../base/errors/errors.js';
import type { NodePlan } from '../../../domain/plan/cluster-plan.js';
import type { TrackedConnection } from '../../../domain/switch-state.js';
import type { Unixctl } from '../../../ovs/unixctl.js';
import type { RunningClock } from '../devices.js';
import { parseConnections } from './parse-switch-state.js';

export interface Connections {
  list(): Promise<readonly TrackedConnection[]>;
  forget(): Promise<void>;
  /** @throws InputError with the daemon's words for a zone or a tuple that is none. */
  flush(which: { readonly zone?: number; readonly tuple?: string }): Promise<void>;
}

/**
 * @param clock of a tracker in the kernel; that one does not say how many connections it has: all
 *   are listed.
 */
export function connectionsOf(
  plan: NodePlan,
  { call }: Unixctl,
  clock: RunningClock | undefined,
): Connections {
  const zones = once(() => zonesOf(plan).map((zone) => `zone=${zone}`));
  const count = async () =>
    clock === undefined ? Number(await call('dpctl/ct-get-nconns')) : undefined;
  return {
    list: async () => {
      const [counted, ...dumps] = await Promise.all([
        count(),
        ...zones().map((zone) => call('dpctl/dump-conntrack', '-m', '-s', zone)),
      ]);
      if (counted === 0) return [];
      const known = dumps
        .join('')
        .split('\n')
        .filter((line) => line !== '');
      const connections = parseConnections(
        plan.node,
        counted !== undefined && known.length === counted
          ? known.join('\n')
          : await call('dpctl/dump-conntrack', '-m', '-s'),
      );
      if (clock === undefined) return connections;
      const aheadS = 1 + Math.floor(clock.aheadMs() / 1000);
      return connections.map((connection) => ofKernel(connection, aheadS));
    },
    forget: async () => {
      const flushed = zones().map((zone) => call('dpctl/flush-conntrack', zone));
      const [left] = await Promise.all([count(), ...flushed]);
      if (left !== 0) await call('dpctl/flush-conntrack');
      clock?.begin();
    },
    flush: async ({ zone, tuple }) => {
      try {
        await call(
          'dpctl/flush-conntrack',
          ...(zone === undefined ? [] : [`zone=${zone}`]),
          ...(tuple === undefined ? [] : [tuple]),
        );
      } catch (error) {
        // A tuple that leaves nothing open must have a connection there; with any other there may
        // be none.
        if (!(error instanceof InputError && error.message.includes('No such file or directory')))
          throw error;
      }
    },
  };
}

/**
 * The kernel has one state for both ends of TCP. What it knows of their windows decides nothing
 * (IP_CT_TCP_FLAG_BE_LIBERAL).
 */
function ofKernel(connection: TrackedConnection, aheadS: number): TrackedConnection {
  const state = /(?:^|,)state_orig=(\w+)/.exec(connection.progress)?.[1];
  return {
    ...connection,
    progress: state === undefined ? withTags(connection.progress) : `state=${state}`,
    aheadS,
  };
}

/**
 * The tags of an association of SCTP are printed as if they stood in the machine's byte order (Open
 * vSwitch lib/netlink-conntrack.c, nl_ct_parse_protoinfo_sctp, lib/ct-dpif.c).
 */
export function withTags(progress: string): string {
  if (endianness() === 'BE') return progress;
  return progress.replace(/\b(vtag_\w+)=(\d+)/g, (_, name: string, printed: string) => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(Number(printed));
    return `${name}=${bytes.readUInt32BE()}`;
  });
}

/** Read from text: the plan's flows may name ports that have gone since. */
function zonesOf(plan: NodePlan): readonly number[] {
  const flows = plan.bridges.flatMap((bridge) => bridge.flows).join('\n');
  return [...new Set([...flows.matchAll(/\bzone=(\d+)\b/g)].map(([, zone]) => Number(zone)))].sort(
    (a, b) => a - b,
  );
}
