/** What `fuzz dumps --freeze` leaves of what differs. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ImageDumps } from '../../../reports/render-dumps.js';
import { lineToType } from '../../base/text/shell-line.js';
import { dumpsOf } from '../../fuzz/dumps/print-dumps.js';
import { printFrozenDump } from '../../fuzz/dumps/frozen-dump.js';
import type { Context } from '../context.js';

/** A file a finding, to be kept and played again, and a folder with what `flowbed check` takes. */
export async function freezeDumps(
  context: Context,
  folder: string,
  seed: number,
  { image, result }: ImageDumps,
): Promise<void> {
  const [imageName = image] = image.split(' ');
  for (const { index, smallest, differences } of result.findings) {
    const name = join(folder, `${imageName}-seed-${seed}-case-${index}`);
    const why = differences.map(({ aspect, summary }) => `${aspect}: ${summary}`).join('; ');
    const { sources, database, bonds } = dumpsOf(smallest);
    for (const { bridge, flows, ports, groups, meters, tunnelOptions } of sources) {
      await mkdir(join(name, bridge), { recursive: true });
      const texts = { flows, ports, groups, meters, 'tlv-map': tunnelOptions };
      for (const [file, source] of Object.entries(texts))
        if (source !== undefined) await writeFile(join(name, bridge, file), `${source.text}\n`);
    }
    const [ovsdb, bondsFile] = [join(name, 'ovsdb.json'), join(name, 'bonds')];
    if (database !== undefined) await writeFile(ovsdb, database);
    if (bonds !== undefined) await writeFile(bondsFile, `${bonds}\n`);
    await writeFile(`${name}.json`, printFrozenDump({ ...smallest, why, found: [image] }));
    context.print(`frozen: ${name}.json`);
    for (const { port, frame } of smallest.packets)
      context.print(
        '  ' +
          lineToType([
            ...['./flowbed', 'check', '--image', imageName],
            ...sources.flatMap(({ bridge }) => ['--bridge', `${bridge}=${join(name, bridge)}`]),
            ...(database === undefined ? [] : ['--ovsdb', ovsdb]),
            ...(bonds === undefined ? [] : ['--bonds', bondsFile]),
            ...['--in-port', port, '--packet', frame],
          ]),
      );
  }
}
