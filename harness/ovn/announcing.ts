/**
 * What ovn-controller makes known by itself, gratuitous ARP and RARP: it comes when the clock that
 * it has says so. It is held back from the bridge until a vector is about it.
 */
import { withDeadline } from '../base/concurrency/deadline.js';
import { Unavailable } from '../base/errors/errors.js';
import { formatMac } from '../base/addresses/mac-and-ipv4.js';
import { announcedAfterMs, announcementCopies } from '../domain/announcing.js';
import type { Announcement } from '../domain/plan/bridge-plan.js';
import { decodeArp, arpOperations } from '../packet/protocols/link/arp.js';
import { etherTypes } from '../packet/protocols/link/ethernet.js';
import { readPacketOut } from '../ovs/openflow/packet-out.js';
import type { Message } from '../ovs/openflow/openflow-messages.js';
import type { SeeMessage } from '../ovs/openflow/openflow-relay.js';

export interface Announcing {
  readonly see: SeeMessage;
  /** Until it is known what to expect, everything is held back. */
  hold(): void;
  /** These are held back from now on; what else has come, and comes, gets to the bridge. */
  expect(announcements: readonly Announcement[]): void;
  /** Nothing has been released. */
  begin(): void;
  /**
   * Releases the `copy`th of all that has been released one time less, or of that about `address`,
   * in an order of their own; not those that do not come when they have to.
   */
  release(copy: number, address?: string): Promise<void>;
}

interface Copies {
  readonly announcement: Announcement;
  readonly came: { readonly atMs: number; readonly release: () => void }[];
  said: number;
}

/** Longer than what is between the last two copies, and than a machine may take that is busy. */
const patienceMs = 60_000;
/** How long it is listened for one more than there are to be: twice the longest time between. */
const silenceMs =
  2 * (announcedAfterMs(announcementCopies) - announcedAfterMs(announcementCopies - 1));
/** Of a clock that stands while anything is computed: how late one may be that is in time. */
const slackMs = 50;

/**
 * @param clock ovn-controller's: `ours` where it runs only while all wait; then a copy that
 *   comes at another time than it has to is not released.
 */
export function announcing(
  clock: 'ours' | 'that of the machine',
  now: () => number = () => performance.now(),
): Announcing {
  const held = new Map<string, Copies>();
  let expected: ReadonlySet<string> | undefined;
  let arrived = () => {};
  return {
    see: (message, release) => {
      const announcement = announcementIn(message);
      if (announcement === undefined) return 'pass';
      const key = keyOf(announcement);
      if (expected?.has(key) === false) return 'pass';
      const copies = held.get(key) ?? { announcement, came: [], said: 0 };
      copies.came.push({ atMs: now(), release });
      held.set(key, copies);
      arrived();
      return 'hold';
    },
    hold: () => {
      expected = undefined;
    },
    expect: (announcements) => {
      expected = new Set(announcements.map(keyOf));
      for (const announcement of announcements)
        if (!held.has(keyOf(announcement)))
          held.set(keyOf(announcement), { announcement, came: [], said: 0 });
      for (const [key, { came, said }] of held) {
        if (expected.has(key)) continue;
        held.delete(key);
        if (said === 0) for (const { release } of came) release();
      }
    },
    begin: () => {
      for (const copies of held.values()) copies.said = 0;
    },
    release: async (copy, address) => {
      const asked = [...held]
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
        .map(([, copies]) => copies)
        .filter(({ said, announcement: { ip } }) => {
          return said === copy - 1 && (address === undefined || ip === address);
        });
      const haveCome = () => asked.every(({ came }) => came.length >= copy);
      const waiting = new Promise<void>((resolve) => {
        arrived = () => void (haveCome() && resolve());
        arrived();
      });
      const limitMs = copy > announcementCopies ? silenceMs : patienceMs;
      await withDeadline(waiting, limitMs, 'announcements').catch((error: unknown) => {
        if (!(error instanceof Unavailable)) throw error;
      });
      for (const copies of asked) {
        const one = copies.came[copy - 1];
        if (one === undefined || (clock === 'ours' && !isInTime(copies, copy))) continue;
        one.release();
        copies.said++;
      }
    },
  };
}

function isInTime({ came: [first, ...others] }: Copies, copy: number): boolean {
  const one = [first, ...others][copy - 1];
  if (first === undefined || one === undefined) return false;
  return Math.abs(one.atMs - first.atMs - announcedAfterMs(copy)) <= slackMs;
}

function keyOf({ datapath, port, mac, ip = '' }: Announcement): string {
  const number = (value: number) => String(value).padStart(8, '0');
  return `${number(datapath)} ${number(port)} ${mac} ${ip}`;
}

const rarp = 0x8035;
const headerBytes = 14;

/**
 * It begins at a port of a logical datapath, as if it came from there, and nothing else is set
 * (OVN controller/pinctrl.c, send_self_originated_neigh_packet).
 */
function announcementIn(message: Message): Announcement | undefined {
  const packet = readPacketOut(message);
  if (packet === undefined || packet.actions !== 3 || packet.set.length !== 2) return undefined;
  const { frame, set } = packet;
  const arp = decodeArp(frame.subarray(headerBytes));
  const type = Buffer.from(frame).readUInt16BE(12);
  const valueOf = (name: string) =>
    Number(set.find(({ field }) => field.name === name)?.value ?? 0n);
  const at = { datapath: valueOf('metadata'), port: valueOf('reg14'), mac: formatMac(frame, 6) };
  if (type === rarp) return at;
  const isGratuitous = arp?.op === arpOperations.request && arp.spa === arp.tpa;
  return type === etherTypes.arp && isGratuitous ? { ...at, ip: arp.spa } : undefined;
}
