/** When a server that did not answer is asked again. */

const firstMs = 100;
const lastMs = 10_000;

/** Waits longer each time, until `worked` is called. */
export interface Reconnecting {
  worked(): void;
  pause(): Promise<void>;
}

export function reconnecting(): Reconnecting {
  let next = firstMs;
  return {
    worked: () => {
      next = firstMs;
    },
    pause: async () => {
      const ms = next;
      next = Math.min(lastMs, next * 2);
      await new Promise((resolve) => setTimeout(resolve, ms));
    },
  };
}
