/** What `flowbed trace` prints: for people, and as JSON. */
import { colors } from '../harness/base/colors.js';
import { describeFrame } from '../harness/packet/frame.js';
import type { TracedLookup, TraceResult } from '../harness/trace/trace.js';

const { bold, dim, red } = colors;

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
    return red(`      ends: ${effect.why}`);
  });
  if (flow === undefined) return [`${number}. no flow matches`, ...told];
  const { match, priority } = flow.id;
  return [`${number}. ${match === '' ? 'any packet' : match}, priority ${priority}`, `      ${flow.actions}`, ...told];
}

/** One JSON document: `{outputs: [{port, frame}], path: [{bridge, table, flow, priority, actions}], state}`, frames in hexadecimal. */
export function traceAsJson({ path, outputs, state }: TraceResult): string {
  return JSON.stringify({
    outputs: outputs.map(({ port, frame }) => ({ port, frame: Buffer.from(frame).toString('hex') })),
    path: path.map(({ bridge, table, flow }) => ({ bridge, table, ...(flow === undefined ? {} : { flow: flow.id.match, priority: flow.id.priority, actions: flow.actions }) })),
    state,
  }, null, 2);
}
