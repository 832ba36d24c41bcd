/** A script with its results as it is reported. */
import { reportPacket, type ReportedPacket } from '../report-packet.js';
import type { PlayedStep, StepResult } from './play-script.js';

export interface ReportedStep {
  readonly line: number;
  readonly text: string;
  readonly result:
    | Exclude<StepResult, { readonly kind: 'packet' }>
    | { readonly kind: 'packet'; readonly packet: ReportedPacket };
}

export function reportStep({ step: { line, text }, result }: PlayedStep): ReportedStep {
  return {
    line,
    text,
    result:
      result.kind === 'packet' ? { kind: 'packet', packet: reportPacket(result.packet) } : result,
  };
}

/** What the model did not know: the last step that was played. */
export function refusalOf({ result }: ReportedStep): string | undefined {
  if (result.kind === 'refused') return result.why;
  return result.kind === 'packet' ? result.packet.refused : undefined;
}
