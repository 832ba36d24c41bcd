/**
 * `flowbed check`: packets through the model and through real switches of several versions, with
 * the flows of a dump.
 */
import { openImage } from '../../../images/images.js';
import { renderCheck, renderVersions } from '../../../reports/render-check.js';
import { printedJson } from '../../base/text/visible.js';
import { InputError, Unavailable, Unsupported } from '../../base/errors/errors.js';
import { attempt } from '../../base/errors/outcome.js';
import type { NodePlan } from '../../domain/plan/cluster-plan.js';
import { backendNamed, defaultBackend } from '../../testbeds/registry.js';
import type { Backend } from '../../testbeds/backend.js';
import type { OvsSwitches } from '../../testbeds/ovs-switches.js';
import {
  checkPackets,
  injectionOf,
  whyUnsent,
  withControllers,
} from '../../trace/check-packets.js';
import {
  checkedImage,
  checkedScript,
  inconclusiveImage,
  type CheckedImage,
} from '../../trace/check-report.js';
import { prepareSwitch } from '../../trace/script/prepare-switch.js';
import { checkInjections, checkScript } from '../../trace/script/check-script.js';
import { exitCodes, type Context } from '../context.js';
import { readRequest, readScriptRequest } from './packet-request.js';
import type { PacketOptions } from './packet-options.js';
import { notesMet } from '../../trace/taken-for-granted.js';
import { tracePackets } from '../../trace/trace-packets.js';
import {
  compareWords,
  predictWords,
  withoutPacket,
  type WordsCheck,
} from '../../trace/compare-words.js';
import { askedWords } from '../../trace/asked-words.js';
import { readWords } from './read-stimuli.js';

export interface CheckOptions extends PacketOptions {
  readonly image: string;
  /** The first of the registry unless given. */
  readonly backend?: string;
  readonly json?: boolean;
}

const exitCodeOf = {
  conforms: exitCodes.conforms,
  diverges: exitCodes.diverges,
  inconclusive: exitCodes.inconclusive,
} as const;

/**
 * @param words `[BRIDGE] FLOW`. @returns 0 when model and switch agree on every image, 1 when they
 *   diverge on one, 3 when one gives no answer. @throws InputError for a wrong request or file.
 */
export async function check(
  context: Context,
  words: readonly string[],
  options: CheckOptions,
): Promise<number> {
  const { plan, checkOn: runCheck } = await readCheck(context, words, options);
  const names = options.image.split(',').filter((name) => name !== '');
  if (names.length === 0)
    throw new InputError(
      '--image: expected one or more of trixie, bookworm, sid, system, with commas between',
    );
  const backend = options.backend === undefined ? defaultBackend : backendNamed(options.backend);
  const images: CheckedImage[] = [];
  for (const name of names) {
    const checked = await checkImage(context, name, backend, plan, runCheck);
    if (options.json !== true) context.print(renderCheck(checked));
    images.push(checked);
  }
  if (options.json === true) context.print(printedJson({ images }));
  else if (images.length > 1) context.print(renderVersions(images));
  const codes = images.map(({ verdict }) => exitCodeOf[verdict]);
  return codes.includes(exitCodes.diverges) ? exitCodes.diverges : Math.max(...codes);
}

/** What is done with the switch of an image, once it is up. */
type ImageCheck = (name: string, sim: OvsSwitches) => Promise<CheckedImage>;

async function readCheck(
  { say }: Context,
  words: readonly string[],
  options: CheckOptions,
): Promise<{ readonly plan: NodePlan; readonly checkOn: ImageCheck }> {
  if (options.script === undefined) {
    const { target, stimuli, initialState } = await readRequest(words, options, say);
    for (const note of target.substitutions) say(`note: ${note}`);
    const answers = tracePackets(target.plan, stimuli);
    for (const note of notesMet(target, answers)) say(`note: ${note}`);
    const [stimulus] = stimuli;
    const { flow, packet } = readWords(words, options.packet);
    const asked =
      flow === undefined || stimulus === undefined || options.pcap !== undefined
        ? undefined
        : { stimulus, words: askedWords({ flow, packet }, stimulus, target) };
    const unsent = asked === undefined ? undefined : whyUnsent(asked.stimulus);
    const injections =
      unsent === undefined ? stimuli.map((stimulus) => injectionOf(target.plan, stimulus)) : [];
    const planned = withControllers(target.plan);
    const { plan, calls, realCalls } = prepareSwitch({ ...target, plan: planned }, initialState);
    return {
      plan,
      checkOn: async (name, sim) => {
        let read: WordsCheck | undefined;
        const whenReady = async () => {
          if (asked === undefined) return;
          const predicted = predictWords(target, initialState, asked.stimulus, versionOf(sim));
          const words = { words: asked.words, predicted };
          read = await compareWords(words, sim, plan.node, plan.bridges);
          if (unsent !== undefined) read = withoutPacket(read, unsent);
        };
        const before = { calls, realCalls, initialState, whenReady };
        const result = await checkPackets(plan, sim, injections, before);
        return checkedImage(name, versionOf(sim), injections.length, result, read);
      },
    };
  }
  const script = await readScriptRequest(words, options, say);
  const { target, steps, initialState: remembered } = script;
  for (const note of target.substitutions) say(`note: ${note}`);
  const plan = withControllers(
    target.plan,
    steps.flatMap(({ command }) =>
      command.kind === 'call' && command.call.kind === 'change' ? command.call.lines : [],
    ),
  );
  checkInjections(plan, steps);
  const prepared = prepareSwitch({ ...target, plan }, remembered);
  return {
    plan: prepared.plan,
    checkOn: async (name, sim) =>
      checkedScript(name, versionOf(sim), await checkScript(prepared, sim, script)),
  };
}

function versionOf({ versions }: OvsSwitches): string {
  return versions['ovs-vswitchd'] ?? '';
}

async function checkImage(
  context: Context,
  name: string,
  backend: Backend,
  plan: NodePlan,
  runCheck: ImageCheck,
): Promise<CheckedImage> {
  const outcome = await attempt(async () => {
    const image = await openImage(name, context.say);
    const sim = await backend.open({ nodes: [plan] }, image, { teardown: context.teardown });
    try {
      return await runCheck(name, sim);
    } finally {
      await sim.close();
    }
  }).catch((error: unknown) => {
    if (error instanceof Unsupported)
      return { kind: 'unavailable' as const, cause: new Unavailable(error.message) };
    throw error;
  });
  return outcome.kind === 'ok' ? outcome.value : inconclusiveImage(name, outcome.cause);
}
