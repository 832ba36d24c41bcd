/**
 * Lets the event loop turn once. What computes for long and never waits for anything asks for one
 * now and then: without, neither Ctrl-C nor the end of a child process would be heard meanwhile.
 */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
