/** `flowbed trace`: what the model alone makes of packets, out of dumps of a switch. */
import { renderScript } from '../../../reports/render-script.js';
import { renderTrace } from '../../../reports/render-trace.js';
import { printedJson } from '../../base/text/visible.js';
import { InputError, Unsupported } from '../../base/errors/errors.js';
import { traceDocument, scriptDocument } from '../../trace/trace-document.js';
import { playScript } from '../../trace/script/play-script.js';
import { refusalOf, reportStep } from '../../trace/script/report-step.js';
import { reportPacket } from '../../trace/report-packet.js';
import { notesMet } from '../../trace/taken-for-granted.js';
import { tracePacket } from '../../trace/trace-packets.js';
import { findFlow, whyNot } from '../../trace/why-not.js';
import { readAnsweringVersion } from '../../trace/answering-version.js';
import { preparedNode } from '../../trace/script/prepared-node.js';
import { exitCodes, type Context } from '../context.js';
import { readRequest, readScriptRequest } from './packet-request.js';
import type { PacketOptions } from './packet-options.js';

export interface TraceOptions extends PacketOptions {
  readonly whyNot?: string;
  readonly json?: boolean;
  /** The version of Open vSwitch whose behaviour is asked for. */
  readonly as?: string;
}

/**
 * @param words `[BRIDGE] FLOW`. @returns 0, or 3 where the model does not know what a flow on the
 *   way does. @throws InputError for a wrong request or file.
 */
export async function trace(
  context: Context,
  words: readonly string[],
  options: TraceOptions,
): Promise<number> {
  const { say, notes } = noteTaker(options.json === true ? onlyProgress(context.say) : context.say);
  try {
    if (options.script !== undefined)
      return await traceScript(context, words, options, { say, notes });
    const { target, stimuli, initialState } = await readRequest(words, options, say);
    const queriedFlow =
      options.whyNot === undefined
        ? undefined
        : findFlow(options.whyNot, target, words.length === 2 ? words[0] : undefined);
    const node = preparedNode(target, initialState, answeringVersion(options, say));
    const results = stimuli.map((stimulus) => tracePacket(node, stimulus));
    for (const note of notesMet(target, results)) say(`note: ${note}`);
    const packets = results.map((result) =>
      reportPacket(
        result,
        queriedFlow === undefined ? undefined : whyNot(queriedFlow, result.translations),
      ),
    );
    if (options.json === true)
      context.print(
        printedJson(
          traceDocument(packets, options.pcap === undefined ? 'one packet' : 'packets', notes),
        ),
      );
    else
      packets.forEach((packet, index) =>
        context.print(
          `${packets.length === 1 ? '' : `${index === 0 ? '' : '\n'}packet ${index + 1} of ${packets.length}\n\n`}${renderTrace(packet)}`,
        ),
      );
    if (packets.length === 0 && options.json !== true) context.print('there are no packets');
    return packets.some(({ refused }) => refused !== undefined)
      ? exitCodes.inconclusive
      : exitCodes.conforms;
  } catch (error) {
    if (!(error instanceof Unsupported)) throw error;
    context.print(
      options.json === true ? printedJson({ refused: error.message, notes }) : `? ${error.message}`,
    );
    return exitCodes.inconclusive;
  }
}

async function traceScript(
  context: Context,
  words: readonly string[],
  options: TraceOptions,
  { say, notes }: NoteTaker,
): Promise<number> {
  if (options.whyNot !== undefined)
    throw new InputError('--why-not is about one packet, not about a script');
  const script = await readScriptRequest(words, options, say);
  const steps = playScript(script, answeringVersion(options, say)).map(reportStep);
  const packets = steps.flatMap(({ result }) => (result.kind === 'packet' ? [result.packet] : []));
  for (const note of notesMet(script.target, packets)) say(`note: ${note}`);
  context.print(
    options.json === true ? printedJson(scriptDocument(steps, notes)) : renderScript(steps),
  );
  return steps.some((step) => refusalOf(step) !== undefined)
    ? exitCodes.inconclusive
    : exitCodes.conforms;
}

interface NoteTaker extends Pick<Context, 'say'> {
  /** What was said so far and is no progress. */
  readonly notes: readonly string[];
}

/** The document has the notes. */
function onlyProgress(say: Context['say']): Context['say'] {
  return (line) => {
    if (!line.startsWith('note: ')) say(line);
  };
}

function noteTaker(say: Context['say']): NoteTaker {
  const notes: string[] = [];
  return {
    notes,
    say: (line) => {
      if (line.startsWith('note: ')) notes.push(line.slice('note: '.length));
      say(line);
    },
  };
}

/** Where nobody has asked for one it is said. */
function answeringVersion(
  { as }: TraceOptions,
  say: Context['say'],
): ReturnType<typeof readAnsweringVersion> {
  const version = readAnsweringVersion(as);
  if (as === undefined)
    say(`note: as Open vSwitch ${version.join('.')} does it; --as asks for another version`);
  return version;
}
