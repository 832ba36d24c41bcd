/** What `flowbed trace` prints for people: the tree of ofproto/trace, and what came out. */
import { colors } from '../harness/base/text/colors.js';
import { shown } from '../harness/base/text/visible.js';
import { nextPlace, type LogicalPlace } from '../harness/domain/logical-place.js';
import { formatFlowId, type PacketIn } from '../harness/domain/switching.js';
import { describeFrame } from '../harness/packet/dissect/describe-frame.js';
import type { ReportedPacket, ReportedTranslation } from '../harness/trace/report-packet.js';
import type { TraceNode } from '../harness/trace/trace-tree.js';
import type { LookupAnswer, WhyNot } from '../harness/trace/why-not.js';

const { bold, dim, red } = colors;

/**
 * One packet: each translation with its flow as it began and ended, then the frames that came out
 * and packet-ins.
 */
export function renderTrace(packet: ReportedPacket): string {
  const { translations, outputs, packetIns, kernel, refused, whyNot } = shown(packet);
  return [
    ...translations.flatMap((translation, index) => [
      ...(index === 0 ? [] : ['', rule, translation.taken, rule, '']),
      ...renderTranslation(translation),
    ]),
    ...(refused === undefined ? [] : ['', red(`? ${refused}`)]),
    '',
    ...(outputs.length === 0
      ? [bold(refused === undefined ? 'Nothing comes out.' : 'Nothing came out up to there.')]
      : outputs.map(
          ({ bridge, port, frame }) =>
            `${bold(`Out of ${port}`)} of ${bridge}: ${describeFrame(frame)}`,
        )),
    ...packetIns.map(
      (raw) =>
        `${bold(`To controllers with id ${raw.controller}`)} of ${raw.bridge}: ` +
        describePacketIn(raw),
    ),
    ...(kernel.length === 0 ? [] : ['', dim("Of the kernel's datapath is known:")]),
    ...kernel.map((difference) => dim(`  ${difference}`)),
    ...(whyNot === undefined ? [] : ['', ...renderWhyNot(whyNot)]),
  ].join('\n');
}

const rule = '='.repeat(79);

function describePacketIn({ reason, table, metadata, userdata, paused, frame }: PacketIn): string {
  const data =
    userdata.length === 0
      ? ''
      : `, userdata=${userdata.map((byte) => byte.toString(16).padStart(2, '0')).join('.')}`;
  return (
    `${reason}, table ` +
    `${table}${metadata === '' ? '' : `, ${metadata}`}${data}${paused ? ', waiting to be resumed' : ''}` +
    ': ' +
    describeFrame(frame)
  );
}

function renderTranslation({
  bridge,
  flow,
  nodes,
  finalFlow,
}: ReportedTranslation): readonly string[] {
  const known =
    finalFlow === undefined
      ? []
      : ['', `${bold('Final flow:')} ${finalFlow === flow ? 'unchanged' : finalFlow}`];
  return [
    `${bold('Flow:')} ${flow}`,
    '',
    ...renderBridge(bridge, 0),
    ...renderNodes(nodes, bridge, 0, { place: undefined }),
    ...known,
  ];
}

const step = 4;

function renderBridge(bridge: string, level: number): readonly string[] {
  const title = `bridge("${bridge}")`;
  return [title, '-'.repeat(title.length)].map((line) => `${' '.repeat(level * step)}${line}`);
}

/**
 * As ofproto/trace sets it out: a table that is the last thing in its list stands as far to the
 * left as the list's own.
 */
function renderNodes(
  nodes: readonly TraceNode[],
  bridge: string,
  level: number,
  at: { place: LogicalPlace | undefined },
): readonly string[] {
  return nodes.flatMap((node, index) => {
    const deeper = level + (node.kind === 'table' && index === nodes.length - 1 ? 0 : 1);
    const indent = ' '.repeat(deeper * step);
    switch (node.kind) {
      case 'action':
        return [`${indent}${node.text}`];
      case 'note':
        return [dim(`${indent} -> ${node.text}`)];
      case 'end':
        return [red(`${indent} >> ${node.text}`)];
      case 'table': {
        const { flow, table } = node;
        const what =
          flow === undefined
            ? 'No match.'
            : [...(flow.match === '' ? [] : [flow.match]), `priority ${flow.priority}`].join(', ');
        const inside = level + 2 * (deeper - level);
        const line = `${String(table).padStart(2)}. ${bold(what)}`;
        const title =
          node.bridge === bridge
            ? [`${indent}${line}`]
            : ['', ...renderBridge(node.bridge, deeper), `${' '.repeat(inside * step)}${line}`];
        return [
          ...renderPlace(node.nodes, at).map((place) => `${indent}${place}`),
          ...title,
          ...renderNodes(node.nodes, node.bridge, inside, at),
        ];
      }
    }
  });
}

const compiledFrom = 'OVN compiled it from: ';

/** The logical datapath and pipeline, where the packet comes into another one. */
function renderPlace(
  nodes: readonly TraceNode[],
  at: { place: LogicalPlace | undefined },
): readonly string[] {
  const source = nodes.flatMap((node) =>
    node.kind === 'note' && node.text.startsWith(compiledFrom)
      ? [node.text.slice(compiledFrom.length)]
      : [],
  )[0];
  const { place, title } = nextPlace(at.place, source ?? '');
  at.place = place;
  return title === undefined ? [] : [bold(title)];
}

function renderWhyNot({ flow, lookups }: WhyNot): readonly string[] {
  const asked = `${bold('Why not')} ${formatFlowId(flow)} of ${flow.bridge}?`;
  if (lookups.length === 0)
    return [asked, `  table ${flow.table} of ${flow.bridge} was never looked up`];
  return [
    asked,
    ...lookups.flatMap((answer, index) =>
      renderAnswer(answer).map(
        (line) => `  ${lookups.length === 1 ? '' : `lookup ${index + 1}: `}${line}`,
      ),
    ),
  ];
}

function renderAnswer(answer: LookupAnswer): readonly string[] {
  switch (answer.kind) {
    case 'taken':
      return ['it was taken'];
    case 'outranked':
      return [`it matches, but this one won: ${formatFlowId(answer.by)}`];
    case 'clause':
      return ['it matches, as a part of conjunctions: such flows are not taken themselves'];
    case 'no match':
      return answer.fields.map(
        ({ field, packet, flow }) => `${field}: the packet has ${packet}, the flow wants ${flow}`,
      );
  }
}
