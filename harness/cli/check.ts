/** `flowbed check`: one packet through the model and through real switches of several versions, with the flows of a dump. */
import { openImage } from '../../images/images.js';
import { renderCheck } from '../../reports/trace.js';
import { InputError, Unavailable, Unsupported } from '../base/errors.js';
import { attempt } from '../base/outcome.js';
import { openSim } from '../testbeds/sim/sim.js';
import { checkPacket } from '../trace/check.js';
import { findPort } from '../trace/switch.js';
import { exitCodes, type Context } from './context.js';
import { readRequest, type TraceOptions } from './trace.js';

export interface CheckOptions extends Omit<TraceOptions, 'json'> {
  readonly image: string;
}

/** @returns 0 when model and switch agree on every image, 1 when they part on one, 3 when one gives no answer. @throws InputError for a wrong request or file. */
export async function check(context: Context, options: CheckOptions): Promise<number> {
  const { plan, frame } = await readRequest(options);
  const port = findPort(plan, options.inPort);
  const names = options.image.split(',').filter((name) => name !== '');
  if (names.length === 0) throw new InputError('--image: expected one or more of trixie, bookworm, sid, system, with commas between');
  const codes: number[] = [];
  for (const name of names) {
    const outcome = await attempt(async () => {
      const image = await openImage(name, context.say);
      const sim = await openSim({ nodes: [plan] }, image, { teardown: context.teardown });
      try {
        const result = await checkPacket(plan, sim, port, frame);
        context.print(renderCheck(`${name} ${sim.versions['ovs-vswitchd'] ?? ''}`, result));
        return result.frames.length + result.counters.length + result.state.length > 0 ? exitCodes.diverges : exitCodes.conforms;
      } finally {
        await sim.close();
      }
    }).catch((error: unknown) => {
      if (error instanceof Unsupported) return { kind: 'unavailable' as const, cause: new Unavailable(error.message) };
      throw error;
    });
    if (outcome.kind === 'unavailable') context.print([`? ${name}: ${outcome.cause.message}`, ...outcome.cause.evidence.map((line) => `    ${line}`), ...outcome.cause.remedies.map((line) => `  - ${line}`)].join('\n'));
    codes.push(outcome.kind === 'ok' ? outcome.value : exitCodes.inconclusive);
  }
  return codes.includes(exitCodes.diverges) ? exitCodes.diverges : Math.max(...codes);
}
