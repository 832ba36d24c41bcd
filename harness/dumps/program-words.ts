/**
 * Meters and options of tunnels as dumps have them, as the words by which a switch is given them:
 * nothing here goes by what the plan makes of them.
 */
import type { DumpedProgram } from '../domain/plan/dumped-node.js';
import type { TextSource } from './text-source.js';

type ProgramWords = Pick<DumpedProgram, 'meters' | 'tunnelOptions'>;

export function programWords(
  meters: TextSource | undefined,
  tunnelOptions: TextSource | undefined,
): ProgramWords {
  return { meters: meterLines(meters?.text ?? ''), tunnelOptions: mappings(tunnelOptions?.text) };
}

/** A meter and its bands, which stand on lines of their own, on one line each. */
function meterLines(text: string): readonly string[] {
  return text
    .split(/^(?=\s*meter=)/m)
    .filter((block) => /^\s*meter=/.test(block))
    .map((block) =>
      block
        .split('\n')
        .filter((line) => !/^\s*#/.test(line))
        .join(' ')
        .replace(/\s+/g, ' ')
        .trim(),
    );
}

/** Arguments of add-tlv-map: as they stand, or of the columns that dump-tlv-map prints. */
function mappings(text = ''): readonly string[] {
  const lines = text.split('\n').map((line) => line.replace(/#.*/, '').trim());
  return lines.flatMap((line) => {
    if (line.startsWith('{')) return [line.replace(/\s/g, '')];
    const [group, type, length, field, ...more] = line.split(/\s+/);
    return field?.startsWith('tun_metadata') === true && more.length === 0
      ? [`{class=${group},type=${type},len=${length}}->${field}`]
      : [];
  });
}
