/** The dumps of small real bridges, and packets for them. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { bridgesOf } from '../../dumps/ovsdb/database-bridges.js';
import { readDatabase } from '../../dumps/ovsdb/read-database.js';
import { dumpedSwitch, type DumpedSwitch } from '../../dumps/dumped-switch.js';
import type { TextSource } from '../../dumps/text-source.js';

const root = new URL('../../../../harness/trace/testkit/bridges/', import.meta.url);

export function sourceIn(folder: string, file: string): TextSource | undefined {
  const path = fileURLToPath(new URL(`${folder}/${file}`, root));
  return existsSync(path) ? { text: readFileSync(path, 'utf8'), file } : undefined;
}

export function readBridge(folder: string): DumpedSwitch {
  const source = (file: string) => sourceIn(folder, file);
  const [flows, ports, groups, tunnelOptions, database] = [
    source('br0/flows'),
    source('br0/ports'),
    source('br0/groups'),
    source('br0/tlv-map'),
    source('ovsdb.json'),
  ];
  if (flows === undefined || database === undefined) throw new Error(`dumps of ${folder}`);
  return dumpedSwitch(
    [
      {
        bridge: 'br0',
        flows,
        ...(ports === undefined ? {} : { ports }),
        ...(groups === undefined ? {} : { groups }),
        ...(tunnelOptions === undefined ? {} : { tunnelOptions }),
      },
    ],
    bridgesOf(readDatabase(database)),
  );
}

export const packet = (
  inPort: string,
  more = '',
  protocol = 'udp',
  destination = '0a:00:00:00:00:02',
) =>
  `${inPort === '' ? '' : `in_port=${inPort},`}${protocol},dl_src=0a:00:00:00:00:01,` +
  `dl_dst=${destination},nw_src=10.0.0.1,nw_dst=10.0.0.2,nw_ttl=64${more}`;
export const fragment = packet('1', ',nw_frag=first,tp_dst=80', 'tcp');
