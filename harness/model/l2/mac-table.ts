/**
 * What one bridge has learned of where addresses are: it moves, ages and makes room (Open vSwitch
 * lib/mac-learning.c).
 */
import { InputError, Unsupported } from '../../base/errors/errors.js';
import type { BridgePlan } from '../../domain/plan/bridge-plan.js';
import { reservedPorts } from '../../openflow/syntax/ports.js';

/** By VLAN and address, the one that was refreshed longest ago first. */
export type MacTable = Map<string, LearnedAddress>;

export interface LearnedAddress {
  readonly vlan: number;
  /** 48 bits as a number. */
  readonly mac: number;
  /** OpenFlow port. */
  readonly port: number;
  /** The whole second of virtual time in which it was last refreshed. */
  readonly seenS: number;
  /** Until this second, gratuitous ARP at a bond does not move it. */
  readonly lockedUntilS?: number;
  /** It neither ages nor moves. */
  readonly isStatic?: true;
}

/** Adds the plan's static addresses to a table that is empty. */
export function addStaticMacs(macs: MacTable, plan: BridgePlan, nowMs: number): void {
  for (const { port, vlan, mac } of plan.staticMacs ?? []) {
    const ofport =
      port === plan.name
        ? reservedPorts.LOCAL
        : plan.ports.find(({ name }) => name === port)?.ofport;
    if (ofport === undefined)
      throw new InputError(`bridge ${plan.name} has no port "${port}" for the address ${mac}`);
    const entry = { vlan, mac: Number(`0x${mac.replaceAll(':', '')}`), port: ofport };
    macs.set(`${vlan} ${entry.mac}`, {
      ...entry,
      seenS: Math.floor(nowMs / 1000),
      isStatic: true,
    });
  }
}

/**
 * Seconds after which an address is forgotten, and how many there are at most
 * (ovs-vswitchd.conf.db(5), "mac-aging-time", "mac-table-size").
 */
const ageing = { least: 15, most: 3600, usual: 300 } as const;
const size = { least: 10, most: 1_000_000, usual: 8192 } as const;

function limited(
  asked: number | undefined,
  { least, most, usual }: { readonly least: number; readonly most: number; readonly usual: number },
): number {
  return asked === undefined ? usual : Math.min(most, Math.max(least, asked));
}

/** By what an address is learned. */
export interface LearnedBy {
  /** By gratuitous ARP, which is always news at a port that is no bond's. */
  readonly isGratuitous: boolean;
  readonly at: 'port' | 'bond';
}

/** Gratuitous ARP that comes back by another member of a bond is not believed for so long. */
const lockS = 5;

export function isLocked({ lockedUntilS = 0 }: LearnedAddress, nowMs: number): boolean {
  return Math.floor(nowMs / 1000) < lockedUntilS;
}

/**
 * Notes that `mac` is behind `port`. Within a second only a new port changes anything, not even the
 * order of refreshes.
 */
export function learnMac(
  macs: MacTable,
  { macTable }: BridgePlan,
  entry: Omit<LearnedAddress, 'seenS' | 'isStatic' | 'lockedUntilS'>,
  { isGratuitous, at }: LearnedBy,
  nowMs: number,
): 'news' | 'known' {
  const name = `${entry.vlan} ${entry.mac}`;
  const heardS = Math.floor(nowMs / 1000);
  const before = macs.get(name);
  if (before?.isStatic === true) return 'known';
  const isRefused =
    isGratuitous && at === 'bond' && before !== undefined && isLocked(before, nowMs);
  const locks = isGratuitous && at === 'port';
  if (before?.seenS === heardS && !locks && (isRefused || before.port === entry.port))
    return 'known';
  if (before === undefined && macs.size >= limited(macTable?.size, size))
    macs.delete(evictionCandidate(macs));
  macs.delete(name);
  const lockedUntilS = locks ? heardS + lockS : before?.lockedUntilS;
  macs.set(name, {
    ...entry,
    ...(isRefused ? { port: before.port } : {}),
    seenS: heardS,
    ...(lockedUntilS === undefined ? {} : { lockedUntilS }),
  });
  return 'news';
}

/**
 * Of the port with the most addresses, the one that was refreshed longest ago. @throws Unsupported
 * where several have as many: which of them, only the switch knows.
 */
function evictionCandidate(macs: MacTable): string {
  const counts = new Map<number, number>();
  for (const { port } of macs.values()) counts.set(port, (counts.get(port) ?? 0) + 1);
  const most = Math.max(...counts.values());
  const [fullest, ...others] = [...counts].filter(([, count]) => count === most);
  if (others.length > 0)
    throw new Unsupported(
      'the model does not know for which of several ports with as many learned addresses one ' +
        'is forgotten',
    );
  return [...macs].find(([, { port }]) => port === fullest?.[0])?.[0] ?? '';
}

/**
 * Entries that have not been refreshed for too long expire, in the second in which they reach that
 * age.
 */
export function ageMacs(macs: MacTable, { macTable }: BridgePlan, nowMs: number): void {
  const oldestS = Math.floor(nowMs / 1000) - limited(macTable?.ageingS, ageing);
  for (const [name, { seenS, isStatic }] of macs)
    if (seenS <= oldestS && isStatic !== true) macs.delete(name);
}
