/**
 * Between a switch and the controllers that connect to one of its bridges: all messages pass as
 * they are, and it can be known when a controller is done with the packets that it was sent.
 */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { withDeadline } from '../../base/concurrency/deadline.js';
import {
  encodeMessage,
  messageSplitter,
  readHandedOver,
  subtypes,
  types,
  type HandedOver,
  type Message,
} from './openflow-messages.js';

export interface OpenflowRelay {
  /**
   * Waits until controllers have answered all packets that the switch has sent them, and the switch
   * has done what they answered: requests are handled in the order in which they come, and an echo
   * behind them is answered when its turn has come.
   * @returns how many packets that were.
   */
  quiesce(): Promise<number>;
  /**
   * The same where controllers send by themselves: what they have to send goes out behind the
   * answer to one echo, and before that to the next.
   */
  quiesceUnasked(): Promise<void>;
  /** Lets controllers have the packets that were held back from them, and gives these. */
  release(): readonly HandedOver[];
  close(): Promise<void>;
}

/** @param release sends it to the bridge. */
export type SeeMessage = (message: Message, release: () => void) => 'pass' | 'hold';

const answerLimitMs = 60_000;

/**
 * @param path where controllers connect. @param target the socket of the bridge itself.
 * @param isHeld whether a packet is held back from controllers until it is released.
 * @param see what is asked about each message of a controller's: one that is held gets to the
 *   bridge when it is released.
 */
export async function openRelay(
  path: string,
  target: string,
  what: string,
  isHeld: (packetIn: HandedOver) => boolean = () => false,
  see: SeeMessage = () => 'pass',
): Promise<OpenflowRelay> {
  const links = new Set<Link>();
  const server = createServer((controller) => {
    const link = linkOf(controller, connect(target), what, isHeld, see, () => links.delete(link));
    links.add(link);
  });
  server.listen(path);
  await once(server, 'listening');
  return {
    quiesce: async () => {
      const counts = await Promise.all([...links].map((link) => link.quiesce()));
      return counts.reduce((sum, count) => sum + count, 0);
    },
    quiesceUnasked: async () =>
      void (await Promise.all([...links].map((link) => link.quiesceUnasked()))),
    release: () => [...links].flatMap((link) => link.release()),
    close: async () => {
      for (const link of links) link.close();
      const closed = once(server, 'close');
      server.close();
      await closed;
    },
  };
}

interface Link {
  quiesce(): Promise<number>;
  quiesceUnasked(): Promise<void>;
  release(): readonly HandedOver[];
  close(): void;
}

/** One connection of a controller, and the one to the bridge that stands for it. */
function linkOf(
  controller: Socket,
  bridge: Socket,
  what: string,
  isHeld: (packetIn: HandedOver) => boolean,
  seeMessage: SeeMessage,
  gone: () => void,
): Link {
  let packetIns = 0;
  const held: { readonly message: Message; readonly packetIn: HandedOver }[] = [];
  let isOpen = true;
  const greeted = new Set<Socket>();
  const [ofBridge, ofController] = [echoesOf(bridge), echoesOf(controller)];
  const close = () => {
    if (!isOpen) return;
    isOpen = false;
    for (const echoes of [ofBridge, ofController]) echoes.end();
    for (const socket of [controller, bridge]) socket.destroy();
    gone();
  };
  const pass = (
    from: Socket,
    to: Socket,
    echoes: Echoes,
    see: (message: Message) => 'pass' | 'hold',
  ) => {
    const split = messageSplitter();
    from.on('data', (chunk) => {
      const passed: Uint8Array[] = [];
      for (const message of split(chunk)) {
        if (echoes.take(message)) continue;
        if (message.type === types.hello) greeted.add(from);
        if (see(message) === 'pass') passed.push(message.bytes);
      }
      // What came in one piece goes out in one: a write a message wakes the other end for each.
      if (passed.length > 0) to.write(Buffer.concat(passed));
    });
    from.on('error', close);
    from.on('close', close);
  };
  pass(bridge, controller, ofBridge, (message) => {
    if (message.subtype !== subtypes.packetIn2) return 'pass';
    const packetIn = readHandedOver(message.body);
    if (isHeld(packetIn)) {
      held.push({ message, packetIn });
      return 'hold';
    }
    packetIns++;
    return 'pass';
  });
  pass(controller, bridge, ofController, (one) => seeMessage(one, () => bridge.write(one.bytes)));
  const answered = async (echoes: Echoes, who: string) =>
    withDeadline(echoes.ask(), answerLimitMs, `${who} of ${what} to answer an echo`);
  return {
    close,
    release: () =>
      held.splice(0).map(({ message, packetIn }) => {
        packetIns++;
        controller.write(message.bytes);
        return packetIn;
      }),
    quiesceUnasked: async () => {
      if (greeted.size < 2) return;
      for (let times = 0; times < 2; times++) await answered(ofController, 'ovn-controller');
      await answered(ofBridge, 'the bridge');
    },
    quiesce: async () => {
      // Before that both ends would not take an echo, and no packets have been sent.
      if (greeted.size < 2) return 0;
      await answered(ofBridge, 'the bridge');
      const count = packetIns;
      packetIns = 0;
      if (count === 0) return 0;
      await answered(ofController, 'ovn-controller');
      await answered(ofBridge, 'the bridge');
      return count;
    },
  };
}

/** Nobody else's echoes carry this. */
const mark = Buffer.from('flowbed');

interface Echoes {
  /** Resolves when the other end has answered, or is gone. */
  ask(): Promise<void>;
  /** Whether the message is an answer to one of ours: nobody else is to see it. */
  take(message: Message): boolean;
  end(): void;
}

/** What is asked of one end behind all that it was sent before. */
function echoesOf(socket: Socket): Echoes {
  const waiting: (() => void)[] = [];
  let isOpen = true;
  return {
    ask: () =>
      new Promise((resolve) => {
        if (!isOpen) return resolve();
        waiting.push(resolve);
        socket.write(encodeMessage(types.echoRequest, 0, mark, 'OpenFlow15'));
      }),
    take: ({ type, body }) => {
      if (type !== types.echoReply || !body.equals(mark)) return false;
      waiting.shift()?.();
      return true;
    },
    end: () => {
      isOpen = false;
      for (const resolve of waiting.splice(0)) resolve();
    },
  };
}
