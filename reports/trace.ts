/** What `flowbed trace` prints: for people, and as JSON. */
import { colors } from '../harness/base/colors.js';
import { formatFlowId } from '../harness/nouns/switching.js';
import { describeFrame } from '../harness/packet/frame.js';
import type { CheckResult } from '../harness/trace/check.js';
import type { TracedLookup, TraceResult } from '../harness/trace/trace.js';

const { bold, dim, green, red } = colors;

/** Table by table the flow that matched, its actions and what came of them; then the frames that came out. */
export function renderTrace(frame: Uint8Array, port: string, { path, outputs }: TraceResult): string {
  return [
    `${bold(`into ${port}`)}  ${describeFrame(frame)}`,
    '',
    ...path.flatMap((lookup, index) => [...(index === 0 || path[index - 1]?.bridge !== lookup.bridge ? [bold(`bridge ${lookup.bridge}`)] : []), ...renderLookup(lookup)]),
    '',
    ...(outputs.length === 0 ? ['nothing comes out'] : outputs.map((output) => `${bold(`out of ${output.port}`)}  ${describeFrame(output.frame)}`)),
  ].join('\n');
}

function renderLookup({ table, flow, effects }: TracedLookup): readonly string[] {
  const number = String(table).padStart(3);
  const told = effects.map((effect) => {
    if (effect.kind === 'write') return dim(`      writes ${effect.field}`);
    if (effect.kind === 'output') return dim(`      sends to ${effect.port}${effect.by === undefined ? '' : ` (by ${effect.by})`}`);
    if (effect.kind === 'group') return dim(`      gives a copy to bucket ${effect.bucket} of group ${effect.group}`);
    if (effect.kind === 'patch') return dim(`      goes on in bridge ${effect.bridge} at ${effect.port}`);
    if (effect.kind === 'controller') return dim(`      tells controllers with id ${effect.controller} (${effect.reason})`);
    return red(`      ends: ${effect.why}`);
  });
  if (flow === undefined) return [`${number}. no flow matches`, ...told];
  const { match, priority } = flow.id;
  return [`${number}. ${match === '' ? 'any packet' : match}, priority ${priority}`, `      ${flow.actions}`, ...told];
}

/** Whether model and switch agree on one image, and if not, in what they part. */
export function renderCheck(image: string, { compared, frames, counters, state }: CheckResult): string {
  const { frames: sent, silent, counters: counted, entries } = compared;
  const told = `${sent} frames · ${silent} silent ports · ${counted} counters · ${entries} entries of state`;
  const parts = [
    ...frames.map(({ kind, port, fields, expected, actual }) => [`${kind} frame out of ${port}${fields.length === 0 ? '' : `: ${fields.join(', ')}`}`, expected, actual]),
    ...counters.map(({ flow, expected, actual }) => [`n_packets of ${formatFlowId(flow)}`, String(expected ?? 'no such flow'), String(actual ?? 'no such flow')]),
    ...state.map(({ kind, about, expected, actual }) => [`${kind}: ${about}`, expected, actual]),
  ];
  if (parts.length === 0) return `${green('✔')} ${bold(image)}  model and switch agree: ${told}`;
  return [`${red('✖')} ${bold(image)}  model and switch part: ${told}`, ...parts.flatMap(([what, expected, actual]) => [`    ${what}`, `      model   ${expected}`, `      switch  ${actual}`])].join('\n');
}

/** One JSON document: `{outputs: [{port, frame}], path: [{bridge, table, flow, priority, actions}], state}`, frames in hexadecimal. */
export function traceAsJson({ path, outputs, state }: TraceResult): string {
  return JSON.stringify({
    outputs: outputs.map(({ port, frame }) => ({ port, frame: Buffer.from(frame).toString('hex') })),
    path: path.map(({ bridge, table, flow }) => ({ bridge, table, ...(flow === undefined ? {} : { flow: flow.id.match, priority: flow.id.priority, actions: flow.actions }) })),
    state,
  }, null, 2);
}
