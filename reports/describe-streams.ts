/** Streams of datagrams, in words. */
import type { ScenarioReport } from '../harness/run/records/run-report.js';

/**
 * `p3 > vm1: exactly 2 of 12 lost, sent from 40 to 60 ms, during 3-guest-moved`: a line a stream.
 */
export function describeStreams({ streams = [] }: ScenarioReport): readonly string[] {
  return streams.map(({ name, sent, lost, notPlayed }) => {
    const open = notPlayed === 0 ? '' : `; ${notPlayed} were not played`;
    if (lost.length === 0) return `${name}: none of ${sent} lost${open}`;
    const total = lost.reduce((sum, { datagrams }) => sum + datagrams, 0);
    const when = lost.map(
      ({ datagrams, fromMs, untilMs, during }) =>
        `${lost.length === 1 ? '' : `${datagrams} `}sent from ${fromMs} to ${untilMs} ms, during ` +
        during.join(' and '),
    );
    return `${name}: exactly ${total} of ${sent} lost, ${when.join('; ')}${open}`;
  });
}
