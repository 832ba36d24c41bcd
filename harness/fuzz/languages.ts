/**
 * What can be asked of the fuzzer, by name: what its cases are, and what a long run of them must
 * have met.
 */
import { unknownName } from '../base/errors/errors.js';
import type { Campaign } from './campaign.js';
import type { Coverage } from './coverage/coverage.js';
import { missingFromPackets, missingFromSequences } from './coverage/required.js';
import type { SideOptions } from './open-sides.js';
import { drawCase } from './generate/draw-case.js';
import { drawSequence } from './generate/draw-sequence.js';

export interface Language {
  readonly name: string;
  readonly draw: Campaign['draw'];
  /** What its cases do without on kernels. */
  readonly without?: SideOptions['without'];
  /** Names of what was never met. */
  readonly missingFrom: (coverage: Coverage) => readonly string[];
}

const languages: readonly Language[] = [
  {
    name: 'openflow',
    draw: drawCase,
    without: 'what is cached',
    missingFrom: missingFromPackets,
  },
  {
    name: 'sequences',
    draw: drawSequence,
    without: 'controllers and what is cached',
    missingFrom: missingFromSequences,
  },
];

/**
 * Timelines of clusters, `events`, are none of these: `runEvents`. @throws InputError for a name
 * that is none.
 */
export function languageCalled(name: string): Language {
  const found = languages.find((language) => language.name === name);
  if (found === undefined)
    throw unknownName('language', name, [
      ...languages.map((language) => language.name),
      'events',
      'dumps',
      'ovn',
    ]);
  return found;
}
