/** What `flowbed check` prints: an image a line, and where model and switch diverge. */
import { colors } from '../harness/base/text/colors.js';
import { shown } from '../harness/base/text/visible.js';
import type { CheckedImage } from '../harness/trace/check-report.js';

const { bold, green, red } = colors;

export function renderCheck(checked: CheckedImage): string {
  const { image, version, verdict, compared, words, differences, unsent, inconclusive } =
    shown(checked);
  const name = bold(version === undefined ? image : `${image} ${version}`);
  if (inconclusive !== undefined)
    return [
      `? ${name}  ${inconclusive.cause}`,
      ...inconclusive.evidence.map((line) => `    ${line}`),
      ...inconclusive.remedies.map((line) => `  - ${line}`),
    ].join('\n');
  const counts =
    compared === undefined
      ? ''
      : `: ${compared.frames} frames · ${compared.silence} silent ports · ` +
        `${compared['packet-ins']} packet-ins · ${compared.counters} counters · ` +
        `${compared.connections} connections · ${compared.macs} learned MACs` +
        (words === undefined || words.compared === 0
          ? ''
          : ` · ${words.compared} readings of FLOW by ofproto/trace`);
  const lost = [
    ...(words?.left === undefined ? [] : [`    ${words.left}`]),
    ...(unsent ?? []).map(
      ({ line, command, why }) => `    not sent: line ${line}, ${command}: ${why}`,
    ),
  ];
  if (verdict === 'conforms')
    return [`${green('✔')} ${name}  model and switch agree${counts}`, ...lost].join('\n');
  return [
    `${red('✖')} ${name}  model and switch diverge${counts}`,
    ...differences.flatMap(({ summary, expected, actual }) => [
      `    ${summary}`,
      `      model   ${expected}`,
      `      switch  ${actual}`,
    ]),
    ...lost,
  ].join('\n');
}

/**
 * Whether the switches of several images did the same: known where each of them agrees with the
 * model.
 */
export function renderVersions(images: readonly CheckedImage[]): string {
  const diverging = images
    .filter(({ verdict }) => verdict === 'diverges')
    .map(({ image }) => image);
  const unknown = images
    .filter(({ verdict }) => verdict === 'inconclusive')
    .map(({ image }) => image);
  if (diverging.length > 0) return `${diverging.join(', ')}: not as predicted`;
  return unknown.length > 0
    ? `nothing is known of ${unknown.join(', ')}`
    : `${images.map(({ image }) => image).join(', ')} agree`;
}
