/** Ports that flows and groups are about. */
import { reservedPorts } from '../openflow/syntax/ports.js';

/**
 * Every number that the texts of flows and groups match as in_port, send to, bundle, resubmit
 * with or watch.
 */
export function portsIn(texts: readonly string[]): readonly number[] {
  const found = texts.flatMap((text) =>
    [
      ...text.matchAll(/\b(?:in_port=|output:|port=|enqueue:|resubmit\(|watch_port:)(\d+)\b/g),
      ...text.matchAll(/\b(?:members|slaves):([\d,]+)/g),
    ].flatMap(([, numbers = '']) => numbers.split(',').map(Number)),
  );
  return [...new Set(found)]
    .filter((number) => number > 0 && number < reservedPorts.UNSET)
    .sort((a, b) => a - b);
}
