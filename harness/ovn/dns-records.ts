/** Names that a zone's controllers know, as its southbound database has them (ovn-sb(5), DNS). */
import type { DnsRecords } from '../domain/plan/bridge-plan.js';
import { entriesIn, uuidsIn } from './row-values.js';
import type { Zone } from './zone.js';

/** In an order of their own. */
export async function dnsRecords({ south }: Zone): Promise<readonly DnsRecords[]> {
  const [rows = [], datapaths = []] = await south.ovsdb.transact([
    // All columns: OVN 23.03 has no `options`.
    { op: 'select', table: 'DNS', where: [] },
    { op: 'select', table: 'Datapath_Binding', where: [], columns: ['_uuid', 'tunnel_key'] },
  ]);
  const keys = new Map(datapaths.map((row) => [uuidsIn(row, '_uuid')[0], row['tunnel_key']]));
  return rows
    .map((row): DnsRecords => {
      const records = Object.fromEntries(entriesIn(row, 'records').toSorted());
      const isOwned = entriesIn(row, 'options').some(
        ([key, value]) => key === 'ovn-owned' && value === 'true',
      );
      return {
        datapaths: uuidsIn(row, 'datapaths')
          .map((uuid) => Number(keys.get(uuid)))
          .toSorted((a, b) => a - b),
        records,
        ...(isOwned ? { isOwned } : {}),
      };
    })
    .toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}
