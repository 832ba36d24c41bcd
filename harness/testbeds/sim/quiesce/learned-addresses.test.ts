/**
 * Goal: the cache is revalidated behind packets that taught a bridge something, and behind no
 * others. Method: what fdb/stats-show of ovs-vswitchd 3.5 prints, and a round that is counted.
 */
import t from 'tap';
import type { Unixctl } from '../../../ovs/unixctl.js';
import { changesIn, learnedAddressesOf } from './learned-addresses.js';

const stats = (learned: number, moved = 0) => `Statistics for bridge "br0":
  Current/maximum MAC entries in the table: 2/8192
  Current static MAC entries in the table : 0
  Total number of learned MAC entries     : ${learned}
  Total number of expired MAC entries     : 0
  Total number of evicted MAC entries     : 0
  Total number of port moved MAC entries  : ${moved}
`;

void t.test('rounds', async (t) => {
  let [shown, rounds] = [stats(0), 0];
  const call = () => Promise.resolve(shown);
  const addresses = learnedAddressesOf(
    () => ['br0'],
    { call } as unknown as Unixctl,
    () => Promise.resolve(void rounds++),
  );
  const after = async (next: string) => {
    shown = next;
    await addresses.query();
    await addresses.revalidateIfChanged();
    return rounds;
  };
  const first = await after(stats(0));
  t.equal(await after(stats(0)), first, 'nothing learned');
  t.equal(await after(stats(1)), first + 1);
  t.equal(await after(stats(1)), first + 1, 'known already');
  t.equal(await after(stats(1, 1)), first + 2, 'it has moved');
  t.equal(changesIn(stats(3, 4)), '3 4');
});
