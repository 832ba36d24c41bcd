/** A report of conformance as Markdown, and as a page of HTML. */
import { shown } from '../harness/base/text/visible.js';
import type { ConformanceReport } from '../harness/conformance/conformance-report.js';

export function renderConformance(report: ConformanceReport): string {
  const { implementation, result, profiles, again, seed, traceHash } = shown(report);
  const versions = Object.entries(implementation.versions).map((one) => one.join(' '));
  return [
    `# Conformance: ${result}`,
    '',
    `- on: ${implementation.backend}, image ${implementation.image} (${versions.join(', ')})`,
    `- digest of the image: \`${implementation.imageDigest}\``,
    `- again: \`${again}\`, seed ${seed}, trace \`${traceHash}\``,
    ...profiles.flatMap((profile) => [
      '',
      `## Profile ${cell(profile.name)}: ${profile.result}`,
      '',
      '| scenario | feature | result | passed | failed | inconclusive | known |',
      '|---|---|---|---|---|---|---|',
      ...profile.scenarios.flatMap((scenario) => scenarioRows(scenario)),
      ...profile.scenarios.flatMap((scenario) => notes(scenario)),
    ]),
    '',
  ].join('\n');
}

type Scenario = ConformanceReport['profiles'][number]['scenarios'][number];

function scenarioRows({ name, axes, features }: Scenario): readonly string[] {
  const point = [name, ...Object.entries(axes).map(([axis, value]) => `${axis}=${value}`)];
  return features.map(({ name: feature, result, vectors }) => {
    const { passed, failed, inconclusive, known } = vectors;
    const cells = [point.join(' '), feature, result, passed, failed, inconclusive, known];
    return `| ${cells.map((one) => cell(String(one))).join(' | ')} |`;
  });
}

function notes(scenario: Scenario): readonly string[] {
  const { name, features, known = [], skipped, inconclusive, promised = {} } = scenario;
  const promises = Object.entries(promised).map(([kind, count]) => `${count} ${kind}`);
  const lines = [
    ...(promises.length === 0 ? [] : [`promised: ${promises.join(', ')}`]),
    ...(inconclusive === undefined ? [] : [`no result: ${inconclusive}`]),
    ...features.flatMap(({ failures = [] }) =>
      failures.map(({ vector, place, summary }) =>
        [`failed: ${vector}`, place, summary].filter((part) => part !== '').join(': '),
      ),
    ),
    ...known.map((one) => `known: ${one.name}, ${one.vectors} vectors: ${one.cause}`),
    ...skipped.map(({ what, why }) => `not compared: ${what}: ${why}`),
  ];
  return lines.length === 0
    ? []
    : ['', `${cell(name)}:`, '', ...lines.map((line) => `- ${cell(line)}`)];
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}

/** The same as a page: tables and lists, nothing to fetch. */
export function renderConformancePage(report: ConformanceReport): string {
  const lines = renderConformance(report).replaceAll('&lt;', '<').split('\n');
  const body: string[] = [];
  for (const [index, line] of lines.entries()) {
    const before = lines[index - 1] ?? '';
    if (line.startsWith('|---')) continue;
    if (line.startsWith('| ')) {
      if (!before.startsWith('|')) body.push('<table>');
      const tag = before.startsWith('|') ? 'td' : 'th';
      const cells = line.slice(2, -2).split(/(?<!\\) \| /);
      body.push(`<tr>${cells.map((one) => `<${tag}>${inline(one)}</${tag}>`).join('')}</tr>`);
      if (!(lines[index + 1] ?? '').startsWith('|')) body.push('</table>');
    } else if (line.startsWith('- ')) body.push(`<p>${inline(line.slice(2))}</p>`);
    else if (line.startsWith('## ')) body.push(`<h2>${inline(line.slice(3))}</h2>`);
    else if (line.startsWith('# ')) body.push(`<h1>${inline(line.slice(2))}</h1>`);
    else if (line !== '') body.push(`<p><strong>${inline(line)}</strong></p>`);
  }
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Conformance: ${escapeHtml(report.result)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { max-width: 75rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; } th, td { border: 1px solid; padding: .2rem .6rem; text-align: left; }
p { overflow-wrap: anywhere; }
</style></head><body><main>
${body.join('\n')}
</main></body></html>
`;
}

function inline(text: string): string {
  return escapeHtml(text.replaceAll('\\|', '|')).replace(/`([^`]*)`/g, '<code>$1</code>');
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
