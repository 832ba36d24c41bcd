/** What `ovs-appctl bond/show` prints: the members that a bond has given its hashes to. */
import { InputError } from '../base/errors/errors.js';
import type { BondPlan } from '../domain/plan/bridge-plan.js';
import type { DatabaseBridge } from './ovsdb/database-bridges.js';
import type { TextSource } from './text-source.js';

interface ShownBond {
  readonly name: string;
  readonly line: number;
  active: string | undefined;
  readonly hashes: Map<string, string>;
}

/** 3.1 and others called members slaves once. */
function readBonds({ text, file }: TextSource): readonly ShownBond[] {
  const bonds: ShownBond[] = [];
  let member = '';
  for (const [index, line] of text.split('\n').entries()) {
    const name = /^\s*---- (.+) ----\s*$/.exec(line)?.[1];
    if (name !== undefined)
      bonds.push({ name, line: index + 1, active: undefined, hashes: new Map() });
    const bond = bonds.at(-1);
    if (bond === undefined) continue;
    member = /^\s*(?:member|slave) (\S+): (?:enabled|disabled)/.exec(line)?.[1] ?? member;
    if (/^\s*active (?:member|slave)\s*$/.test(line)) bond.active = member;
    const hash = /^\s*hash (\d+): \d+ kB load/.exec(line)?.[1];
    if (hash !== undefined) bond.hashes.set(hash, member);
  }
  if (bonds.length === 0)
    throw new InputError(
      'expected what "ovs-appctl bond/show" prints, such as "---- bond0 ----" and below it ' +
        '"member eth0: enabled"',
      { file },
    );
  return bonds;
}

/** The bridges, whose bonds have the members of hashes that `source` names. @throws InputError. */
export function withBonds(
  bridges: ReadonlyMap<string, DatabaseBridge>,
  source: TextSource,
): ReadonlyMap<string, DatabaseBridge> {
  const shown = readBonds(source);
  const known = [...bridges.values()].flatMap(({ settings }) => settings.bonds ?? []);
  for (const { name, line, active, hashes } of shown) {
    const bond = known.find((one) => one.name === name);
    const place = { file: source.file, line };
    if (bond === undefined)
      throw new InputError(
        `the database has no bond ${name}: it has ` +
          (known.map((one) => one.name).join(', ') || 'none'),
        place,
      );
    const wrong = [active, ...hashes.values()].find(
      (one) => one !== undefined && !bond.members.includes(one),
    );
    if (wrong !== undefined)
      throw new InputError(
        `${wrong} is no member of ${name} in the database, which has ${bond.members.join(', ')}`,
        place,
      );
  }
  const changed = (bond: BondPlan): BondPlan => {
    const one = shown.find(({ name }) => name === bond.name);
    return one === undefined
      ? bond
      : {
          ...bond,
          hashes: Object.fromEntries(one.hashes),
          ...(one.active === undefined ? {} : { active: one.active }),
        };
  };
  return new Map(
    [...bridges].map(([name, { settings, ...bridge }]) => [
      name,
      settings.bonds === undefined
        ? { ...bridge, settings }
        : { ...bridge, settings: { ...settings, bonds: settings.bonds.map(changed) } },
    ]),
  );
}

/** Arguments of `bond/migrate`: a bond, a hash, and the member that it goes to. */
export function bondHashes(
  text: string,
): readonly (readonly [bond: string, hash: string, member: string])[] {
  return text.split(/^(?=\s*---- )/m).flatMap((block) => {
    const [head = '', ...members] = block.split(/^(?=\s*(?:member|slave) )/m);
    const bond = head.split('\n')[0]?.replaceAll('----', '').trim() ?? '';
    if (!/^bond_mode: *balance-slb/m.test(head)) return [];
    return members.flatMap((one) => {
      const member = one.trim().split(/[ :]/)[1] ?? '';
      const hashes = [...one.matchAll(/\bhash (\d+):/g)];
      return hashes.map(([, hash = '']) => [bond, hash, member] as const);
    });
  });
}
