/** The switch that dumps describe: a file each, or a folder of them. */
import { InputError } from '../../base/errors/errors.js';
import { join } from 'node:path';
import { readdir } from 'node:fs/promises';
import { readInput } from '../../base/files/read-input.js';
import type { BridgeSources } from '../../dumps/dumped-bridge.js';
import { type DumpedSwitch, dumpedSwitch } from '../../dumps/dumped-switch.js';
import type { TextSource } from '../../dumps/text-source.js';
import { readShow } from '../../dumps/dumped-ports.js';
import type { PacketOptions } from './packet-options.js';
import { bridgesOf } from '../../dumps/ovsdb/database-bridges.js';
import { withBonds } from '../../dumps/shown-bonds.js';
import { ovnSources } from '../../dumps/ovn-sources.js';
import { ofOneBridge, pastedBridges } from '../../dumps/pasted/sections.js';
import { readAnyDatabase, readDatabase } from '../../dumps/ovsdb/read-database.js';
import type { Context } from '../context.js';

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const fileNames = {
  flows: 'flows',
  ports: 'ports',
  groups: 'groups',
  meters: 'meters',
  tunnelOptions: 'tlv-map',
} as const;

export async function readSource(file: string): Promise<TextSource> {
  return { text: (await readInput(file)).toString('utf8'), file };
}

/** `NAME=DIR`: files called flows, ports, groups, meters and tlv-map, with .txt behind or not. */
async function readFolder(text: string): Promise<BridgeSources> {
  const [, bridge = '', dir = ''] = /^([^=]*)=(.*)$/.exec(text) ?? [];
  if (bridge === '' || dir === '')
    throw new InputError(`--bridge: expected NAME or NAME=DIR, got "${text}"`);
  const present = await readdir(dir).catch((error: unknown) => {
    throw new InputError(`--bridge ${bridge}: cannot read the folder: ${reasonOf(error)}`);
  });
  const found = Object.entries(fileNames).flatMap(([what, name]) => {
    const [file, ...more] = [name, `${name}.txt`].filter((candidate) =>
      present.includes(candidate),
    );
    if (more.length > 0)
      throw new InputError(`--bridge ${bridge}: ${dir} has both ${name} and ${name}.txt`);
    return file === undefined ? [] : [{ what, file: join(dir, file) }];
  });
  const sources = Object.fromEntries(
    await Promise.all(found.map(async ({ what, file }) => [what, await readSource(file)] as const)),
  );
  if (sources['flows'] === undefined)
    throw new InputError(
      `--bridge ${bridge}: there is no file "flows" or "flows.txt" in ${dir}; files that are ` +
        `read are ${Object.values(fileNames).join(', ')}`,
    );
  return { bridge, flows: sources['flows'], ...sources };
}

/** A bridge that nobody names is called as `show` or the database calls it. */
async function mainBridge(
  { flows, groups, meters, ports, tlvMap }: PacketOptions & { readonly flows: string },
  name: string | undefined,
  recorded: readonly string[],
): Promise<BridgeSources> {
  const shown = ports === undefined ? undefined : await readSource(ports);
  const dump = await readSource(flows);
  const pasted = [...new Set(pastedBridges(dump, 'flows'))];
  if (name === undefined && pasted.length > 1) ofOneBridge(dump, 'flows', undefined);
  const bridgeName =
    name ??
    pasted[0] ??
    (shown === undefined
      ? undefined
      : readShow(ofOneBridge(shown, 'ports', undefined).source).local) ??
    (recorded.length === 1 ? recorded[0] : undefined);
  if (bridgeName === undefined && recorded.length > 1)
    throw new InputError(
      `--bridge is missing: are the flows of --flows those of ${recorded.join(' or ')}?`,
    );
  return {
    bridge: bridgeName ?? 'br0',
    flows: dump,
    ...(shown === undefined ? {} : { ports: shown }),
    ...(groups === undefined ? {} : { groups: await readSource(groups) }),
    ...(meters === undefined ? {} : { meters: await readSource(meters) }),
    ...(tlvMap === undefined ? {} : { tunnelOptions: await readSource(tlvMap) }),
  };
}

async function readBridges(
  options: PacketOptions,
  recorded: readonly string[],
): Promise<readonly BridgeSources[]> {
  const folders = options.bridge.filter((bridge) => bridge.includes('='));
  const names = options.bridge.filter((bridge) => !bridge.includes('='));
  if (names.length > 1)
    throw new InputError(
      `--bridge: only one bridge has the flows of --flows, got ${names.join(' and ')}; others ` +
        'are given as NAME=DIR',
    );
  const twice = folders
    .map((bridge) => bridge.replace(/=.*/, ''))
    .find((name, index, all) => all.indexOf(name) < index || names.includes(name));
  if (twice !== undefined) throw new InputError(`--bridge: ${twice} is given twice`);
  const { flows, groups, meters, ports, tlvMap } = options;
  const others = Object.entries({ groups, meters, ports, 'tlv-map': tlvMap }).filter(
    ([, file]) => file !== undefined,
  );
  if (flows === undefined && (names.length > 0 || others.length > 0))
    throw new InputError(
      '--flows is missing: ' +
        `${names.length > 0 ? `--bridge ${names[0]}` : `--${others[0]?.[0]}`} is about the ` +
        'bridge whose flows it gives',
    );
  if (flows === undefined && folders.length === 0)
    throw new InputError(
      'give the flows of a bridge by --flows FILE, or all that is known of one by --bridge ' +
        'NAME=DIR',
    );
  const own =
    flows === undefined ? [] : [await mainBridge({ flows, ...options }, names[0], recorded)];
  return [...own, ...(await Promise.all(folders.map(readFolder)))];
}

export async function readSwitch(
  options: PacketOptions,
  say: Context['say'],
): Promise<DumpedSwitch> {
  const recorded =
    options.ovsdb === undefined
      ? undefined
      : bridgesOf(readDatabase(await readSource(options.ovsdb)));
  if (options.ovnNb !== undefined && options.ovnSb === undefined)
    throw new InputError('--ovn-nb: flows name southbound rows first: give these by --ovn-sb');
  if (options.bonds !== undefined && recorded === undefined)
    throw new InputError('--bonds: the members of a bond are in the database: give it by --ovsdb');
  const bonds = options.bonds === undefined ? undefined : await readSource(options.bonds);
  const database =
    bonds === undefined || recorded === undefined ? recorded : withBonds(recorded, bonds);
  const bridges = await readBridges(options, [...(database?.keys() ?? [])]);
  const target = dumpedSwitch(bridges, database, say, bonds);
  for (const note of target.notes) say(`note: ${note}`);
  return options.ovnSb === undefined
    ? target
    : withOvnSources(target, options.ovnSb, options.ovnNb);
}

async function withOvnSources(
  target: DumpedSwitch,
  southFile: string,
  northFile: string | undefined,
): Promise<DumpedSwitch> {
  const south = readAnyDatabase(await readSource(southFile));
  const north = northFile === undefined ? undefined : readAnyDatabase(await readSource(northFile));
  const sources = ovnSources(south, north);
  const bridges = target.plan.bridges.map((bridge) => ({ ...bridge, sources }));
  return { ...target, plan: { ...target.plan, bridges } };
}
