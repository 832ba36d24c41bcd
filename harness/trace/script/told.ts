/** A script with what came of it as it is reported. */
import { tell, type ToldPacket } from '../told.js';
import type { PlayedStep, StepResult } from './play.js';

export interface ToldStep {
  readonly line: number;
  readonly text: string;
  readonly result:
    | Exclude<StepResult, { readonly kind: 'packet' }>
    | { readonly kind: 'packet'; readonly packet: ToldPacket };
}

export function tellStep({ step: { line, text }, result }: PlayedStep): ToldStep {
  return {
    line,
    text,
    result: result.kind === 'packet' ? { kind: 'packet', packet: tell(result.packet) } : result,
  };
}

/** What the model did not know: the last step that was played. */
export function refusalOf({ result }: ToldStep): string | undefined {
  if (result.kind === 'refused') return result.why;
  return result.kind === 'packet' ? result.packet.refused : undefined;
}
