/** `flowbed trace`: what the model alone makes of one packet, out of dumps of a switch. */
import { readFile } from 'node:fs/promises';
import { renderTrace, traceAsJson } from '../../reports/trace.js';
import { InputError, Unsupported } from '../base/errors.js';
import type { NodePlan } from '../nouns/plan.js';
import { switchOf, type Source } from '../trace/switch.js';
import { tracePacket } from '../trace/trace.js';
import { exitCodes, type Context } from './context.js';

export interface TraceOptions {
  readonly flows: string;
  readonly ports?: string;
  readonly bridge: string;
  readonly inPort: string;
  readonly packet: string;
  readonly json?: boolean;
}

/** @returns 0, or 3 where the model does not know what a flow on the way does. @throws InputError for a wrong request or file. */
export async function trace(context: Context, options: TraceOptions): Promise<number> {
  const { inPort, json } = options;
  const { plan, frame } = await readRequest(options);
  try {
    const result = tracePacket(plan, inPort, frame);
    context.print(json === true ? traceAsJson(result) : renderTrace(frame, inPort, result));
    return exitCodes.conforms;
  } catch (error) {
    if (!(error instanceof Unsupported)) throw error;
    context.print(`? ${error.message}`);
    return exitCodes.inconclusive;
  }
}

/** The switch and the packet that are asked about. @throws InputError for a file or a packet that is none. */
export async function readRequest({ flows, ports, bridge, packet }: Omit<TraceOptions, 'json'>): Promise<{ readonly plan: NodePlan; readonly frame: Uint8Array }> {
  const plan = switchOf({ bridge, flows: await source(flows), ...(ports === undefined ? {} : { ports: await source(ports) }) });
  return { plan, frame: parsePacket(packet) };
}

async function source(file: string): Promise<Source> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new InputError(`cannot read it: ${error instanceof Error ? error.message : String(error)}`, { file });
  });
  return { text, file };
}

const shortestFrame = 14;

function parsePacket(text: string): Uint8Array {
  const digits = text.replace(/\s/g, '');
  if (!/^([0-9a-f]{2})+$/i.test(digits) || digits.length / 2 < shortestFrame) throw new InputError(`--packet: expected the bytes of an Ethernet frame as hexadecimal digits, ${shortestFrame} bytes at least, got "${text.slice(0, 40)}"`);
  return Uint8Array.from(Buffer.from(digits, 'hex'));
}
