/** The processes that run scenarios' code for this one. */
import type { ScenarioLink } from './scenario-link.js';

const started = new Set<ScenarioLink>();

export function addStarted(link: ScenarioLink): void {
  started.add(link);
}

/**
 * Whether scenarios' code has kept still: called once all that was asked of it is there.
 * @returns how a process that ran it has ended by itself, once; undefined where all still run.
 * @throws InputError for what went wrong beside.
 */
export function endedScenarioProcess(): string | undefined {
  for (const link of started)
    try {
      link.ask({ kind: 'finish' }, 'what it does beside the run');
    } catch (error) {
      if (link.ended() === undefined) throw error;
    }
  const ended = [...started].filter((link) => link.ended() !== undefined);
  for (const link of ended) started.delete(link);
  return ended[0]?.ended();
}
