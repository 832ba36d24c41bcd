/** The controllers that a node's plan connects to its bridges, and their packet-ins. */
import { Unavailable } from '../../../base/errors/errors.js';
import type { NodePlan } from '../../../domain/plan/cluster-plan.js';
import type { ControllerPlan } from '../../../domain/plan/bridge-plan.js';
import type { PacketIn } from '../../../domain/switching.js';
import { printMatch } from '../../../openflow/match/print-match.js';
import type { Daemon } from '../../../ovs/process/daemon.js';
import { connectListener, type Listener } from '../../../ovs/openflow/openflow-connection.js';
import type { DecodedPacketIn } from '../../../ovs/openflow/openflow-messages.js';
import { managementSocket } from '../../../ovs/workspace/socket-path.js';

export interface Controllers {
  /**
   * Waits until all packet-ins have come, and packets that wait have been resumed. @param quiet
   * resolves when no packet is under way.
   */
  quiesce(quiet: () => Promise<void>): Promise<void>;
  /** Packet-ins since the last call; undefined where no controller listens. */
  take(): readonly PacketIn[] | undefined;
  /** Whether there are any in the plan. */
  readonly listen: 'nobody' | 'somebody';
  /** How many packets others than the plan's controllers have answered. */
  answered(): number;
  close(): void;
}

/**
 * Waits until whoever programs the node's switch has answered the packets that it was sent, and
 * gives how many these were.
 */
export type Answered = () => Promise<number>;

/** The same beside another controller, which answers what it is sent. */
export function answering(controllers: Controllers, answered: Answered): Controllers {
  let total = 0;
  return {
    ...controllers,
    quiesce: async (quiet) => {
      for (let count = NaN; count !== 0; total += count) {
        await controllers.quiesce(quiet);
        count = await answered();
      }
    },
    answered: () => total,
  };
}

interface Connected {
  readonly bridge: string;
  readonly plan: ControllerPlan;
  readonly listener: Listener;
}

/** Connects the plan's controllers to bridges whose sockets lie in `dir`. */
export async function connectControllers(
  plan: NodePlan,
  dir: string,
  vswitchd: Daemon,
): Promise<Controllers> {
  const wanted = plan.bridges.flatMap(({ name, controllers = [] }) =>
    controllers.map((controller) => ({ bridge: name, controller })),
  );
  if (wanted.length === 0)
    return {
      quiesce: (quiet) => quiet(),
      take: () => undefined,
      listen: 'nobody',
      answered: () => 0,
      close: () => undefined,
    };
  const connected = await Promise.all(
    wanted.map(
      async ({ bridge, controller }): Promise<Connected> => ({
        bridge,
        plan: controller,
        listener: await connectListener(
          managementSocket(dir, bridge),
          controller.id,
          vswitchd,
          plan.asDumped === undefined
            ? plan.bridges.find(({ name }) => name === bridge)?.fragments
            : plan.asDumped.programs[bridge]?.fragments,
        ),
      }),
    ),
  );
  const lostBefore = await countLost(vswitchd);
  let received: PacketIn[] = [];
  const barriers = async () =>
    void (await Promise.all(connected.map(({ listener }) => listener.barrier())));
  /**
   * A switch's main loop carries packets through, sends packet-ins, and then reads requests of
   * controllers, in this order: an answer to what was asked after all packets were through comes
   * behind the last packet-in.
   */
  const quiesce = async (quiet: () => Promise<void>) => {
    let lost = lostBefore;
    for (let waiting = true; waiting; ) {
      await quiet();
      [lost] = await Promise.all([countLost(vswitchd), barriers()]);
      const resumed = connected.map(({ bridge, plan: { id, paused }, listener }) => {
        const packets = listener.take();
        received.push(...packets.map((packet) => packetIn(bridge, id, packet)));
        const waited =
          paused === 'resumed' ? packets.filter(({ resume }) => resume !== undefined) : [];
        listener.resume(waited);
        return waited.length;
      });
      waiting = resumed.some((count) => count > 0);
      if (waiting) await barriers();
    }
    if (lost !== lostBefore)
      throw new Unavailable(
        `${vswitchd.name} sent more packet-ins than it can queue, and lost some`,
        ['send fewer packets at once'],
      );
  };
  return {
    quiesce,
    take: () => {
      const taken = received;
      received = [];
      return taken;
    },
    listen: 'somebody',
    answered: () => 0,
    close: () => {
      for (const { listener } of connected) listener.close();
    },
  };
}

function packetIn(
  bridge: string,
  controller: number,
  { resume, metadata, ...others }: DecodedPacketIn,
): PacketIn {
  return {
    bridge,
    controller,
    ...others,
    metadata: printMatch(metadata),
    paused: resume !== undefined,
  };
}

/** Packet-ins that found the queue between datapath and main loop full, or that of a connection. */
async function countLost({ unixctl }: Daemon): Promise<number> {
  const counts = await Promise.all(
    ['packet_in_overflow', 'rconn_overflow'].map((counter) =>
      unixctl.call('coverage/read-counter', counter),
    ),
  );
  return counts.reduce((sum, count) => sum + Number(count), 0);
}
