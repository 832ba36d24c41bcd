/** Minimal cases of the fuzzer in files, and what `flowbed check` takes of them. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ImageResult } from '../../../reports/render-fuzz.js';
import { lineToType } from '../../base/text/shell-line.js';
import type { FuzzCase, PacketStep } from '../../fuzz/fuzz-case.js';
import { bridge, meters, networkOf, portNumbers, tunnelOptions } from '../../fuzz/fuzz-network.js';
import { printRegression } from '../../fuzz/regression-case.js';
import type { Context } from '../context.js';

/** A file a finding, to be kept and played again, and a folder with what `flowbed check` takes. */
export async function freezeCases(
  context: Context,
  folder: string,
  seed: number,
  { image, result }: ImageResult,
): Promise<void> {
  for (const { index, smallest, differences } of result.findings) {
    const name = join(folder, `seed-${seed}-case-${index}`);
    await mkdir(name, { recursive: true });
    await writeFile(
      `${name}.json`,
      printRegression({
        ...smallest,
        why: differences.map(({ aspect, summary }) => `${aspect}: ${summary}`).join('; '),
        found: [image],
      }),
    );
    await writeFile(join(name, 'flows'), smallest.flows.map((flow) => `${flow}\n`).join(''));
    await writeFile(join(name, 'groups'), smallest.groups.map((group) => `${group}\n`).join(''));
    await writeFile(join(name, 'meters'), meters.map((meter) => `${meter}\n`).join(''));
    await writeFile(join(name, 'tlv-map'), tunnelOptions.map((option) => `${option}\n`).join(''));
    await writeFile(
      join(name, 'ports'),
      portNumbers.map((port) => ` ${port}(${port}): addr:02:00:00:00:00:0${port}\n`).join(''),
    );
    context.print(`frozen: ${name}.json`);
    for (const { port, frame } of packetsOfOneBridge(smallest))
      context.print(
        '  ' +
          lineToType([
            './flowbed',
            'check',
            '--image',
            image.split(' ')[0] ?? image,
            '--bridge',
            `${bridge}=${name}`,
            '--in-port',
            port,
            '--packet',
            Buffer.from(frame).toString('hex'),
          ]),
      );
  }
}

/** The packets that one bridge alone makes sense of, one by one. */
function packetsOfOneBridge({ beyond, steps, ...programs }: FuzzCase): readonly PacketStep[] {
  return beyond.length > 0 ||
    networkOf(programs) !== 'one node' ||
    steps.some(({ kind }) => kind !== 'packet')
    ? []
    : steps.flatMap((step) => (step.kind === 'packet' ? [step] : []));
}
