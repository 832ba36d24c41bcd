/** docs/limits.md: a head that people write, and below it the lists that the code gives. */
import type { Source } from '../tidiness/sources.js';
import { collectFields } from './collect-fields.js';
import { collectNotCompared } from './collect-not-compared.js';
import { collectRefusals, type Refusal } from './collect-refusals.js';
import { handledSections } from './handled-sections.js';
import { hole } from './literal-text.js';
import { datapathDifferences } from '../../harness/trace/datapath-differences.js';

/** Where the head ends. */
const marker = '<!-- Generated from the code: npm run limits. -->';

const columnsMax = 100;

interface Section {
  readonly title: string;
  readonly lead: string;
  readonly items: readonly string[];
}

/** @param page docs/limits.md as it is: its head stays. */
export function renderLimits(page: string, sources: readonly Source[]): string {
  const [head = ''] = page.split(marker);
  const product = sources.filter(({ path }) => path.startsWith('harness/'));
  const sections = [...refusalSections(product), ...otherSections(product)].map(
    ({ title, lead, items }) =>
      `## ${title}\n\n${wrap(lead, '')}\n\n` +
      `${items.map((item) => wrap(`- ${item}`, '  ')).join('\n')}\n`,
  );
  return `${head}${marker}\n\n${sections.join('\n')}`;
}

function refusalSections(sources: readonly Source[]): readonly Section[] {
  const refusals = collectRefusals(sources);
  const of = (...folders: readonly string[]): readonly Refusal[] =>
    refusals.filter(({ path }) => folders.some((folder) => path.startsWith(`${folder}/`)));
  const model = of('harness/model', 'harness/packet');
  return [
    {
      title: 'Not modelled',
      lead: 'A vector that needs one of these is inconclusive, with this message and its place.',
      items: refusalItems(model.filter(({ kind }) => kind === 'Unsupported')),
    },
    {
      title: 'Nondeterministic in Open vSwitch',
      lead:
        'There the outcome depends on caches, on the order of a hash table or on memory that is ' +
        "not the packet's, or Open vSwitch aborts. The model accepts no outcome.",
      items: refusalItems(model.filter(({ kind }) => kind === 'Unpredictable')),
    },
    {
      title: 'Not promised',
      lead: 'Intent refuses to guess: without a promise a vector is inconclusive.',
      items: refusalItems(of('harness/intent')),
    },
    {
      title: 'Not in a batch',
      lead: 'Where one of these occurs, the vectors of the batch run one by one.',
      items: refusalItems(of('harness/lockstep')),
    },
    {
      title: 'Not read from dumps',
      lead: 'trace and check refuse these.',
      items: refusalItems(of('harness/dumps', 'harness/trace')),
    },
  ];
}

function otherSections(sources: readonly Source[]): readonly Section[] {
  const schemas = sources.filter(({ path }) => path.startsWith('harness/kube/schemas/'));
  const fields = collectFields(schemas);
  return [
    {
      title: 'Userspace and kernel datapaths',
      lead:
        'The model has the behaviour of the datapath in userspace. That of the Linux kernel is ' +
        'known to differ here, and trace says so where its packet meets it:',
      items: datapathDifferences.map(({ text }) => text),
    },
    {
      title: 'Not compared by runs',
      lead: 'Every report names those that apply to its run.',
      items: sources
        .filter(({ path }) => path === 'harness/compare/not-compared.ts')
        .flatMap(collectNotCompared)
        .map(({ what, why }) => `${what}: ${why}`.replaceAll(hole, '`…`')),
    },
    {
      title: 'Fields of manifests with one value',
      lead: 'Another value is bad input, with its line.',
      items: fields.map(({ object, path, only }) => `${object} \`${path}\`: ${only}`),
    },
    ...handledSections(),
  ];
}

/** The places follow the message: who reads of a limit may want to see its condition. */
function refusalItems(refusals: readonly Refusal[]): readonly string[] {
  return [...new Set(refusals.map(({ message }) => message))].map((message) => {
    const files = refusals
      .filter((refusal) => refusal.message === message)
      .map(({ path }) => `[${path.split('/').at(-1) ?? path}](../${path})`);
    return `${message.replaceAll(hole, '`…`')} (${files.join(', ')})`;
  });
}

function wrap(text: string, indent: string): string {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line !== undefined && `${line} ${word}`.length <= columnsMax)
      lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(line === undefined ? word : `${indent}${word}`);
  }
  return lines.join('\n');
}
