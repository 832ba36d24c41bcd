/** The network between nodes of a real cluster. */
import type { Teardown } from '../../base/concurrency/teardown.js';
import { systemProgram } from '../../ovs/process/system-program.js';
import { startCarrier } from '../../testbeds/netns/carrier.js';
import { betweenBridge, type BetweenNodes } from './real-devices.js';

/** More frames than these are of the same kinds. */
const framesMax = 20_000;

/** @throws Unavailable where this machine makes no namespaces for this user. */
export async function openBetween(undo: Teardown): Promise<BetweenNodes> {
  let take: (frame: Uint8Array) => void = () => undefined;
  const carrier = await startCarrier('the network between nodes', (_, frame) => take(frame));
  undo.add(() => carrier.close());
  await carrier.run(
    [systemProgram('ip'), '-batch', '-'],
    `link add name ${betweenBridge} type bridge\nlink set dev ${betweenBridge} up`,
  );
  let ends = 0;
  return {
    carrier,
    nextEnd: () => `end${++ends}`,
    capture: async (during) => {
      const frames: Uint8Array[] = [];
      take = (frame) => {
        if (frames.length < framesMax) frames.push(frame);
      };
      for (let end = 1; end <= ends; end++) await carrier.attach(end, 'the node', `end${end}`);
      try {
        const result = await during();
        await carrier.sync();
        return { result, frames };
      } finally {
        for (let end = 1; end <= ends; end++) await carrier.detach(end);
        take = () => undefined;
      }
    },
  };
}
