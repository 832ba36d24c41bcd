/** A call of Docker's that changes something: in the journal, and undone where it fails. */
import type { PluginContext } from './context.js';
import type { JournalCall } from './journal.js';
import { compareWithEngine, recoverCalls } from './recover.js';

/** By the method that Docker calls. */
export type Handlers = Readonly<Record<string, (body: unknown) => Promise<unknown>>>;

export interface PluginState {
  /** Calls that change something. */
  inProgress: number;
  /** Nothing was compared since the plugin or the engine has started. */
  compareDue: boolean;
  /** Addresses that a new engine may ask for once more: those of endpoints of the old one. */
  replayable: Set<string>;
}

/**
 * In the journal while it is under way. Where `work` fails, `undo` has to make up for it; where
 * that fails as well, the journal keeps the call.
 */
export async function journalled<T>(
  { journal }: PluginContext,
  state: PluginState,
  call: JournalCall,
  work: () => Promise<T>,
  undo: () => Promise<void>,
): Promise<T> {
  const id = journal.begin(call);
  state.inProgress += 1;
  try {
    const result = await work();
    journal.end(id);
    return result;
  } catch (error) {
    try {
      await undo();
      journal.end(id);
    } catch {
      journal.leave(id);
    }
    throw error;
  } finally {
    state.inProgress -= 1;
  }
}

/** Before something new is made; nothing is compared while something else is being made. */
export async function tidyUp(context: PluginContext, state: PluginState): Promise<void> {
  await recoverCalls(context);
  if (!state.compareDue || state.inProgress > 0) return;
  await compareWithEngine(context);
  state.compareDue = false;
}
