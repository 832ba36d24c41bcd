/** Goal: policies are in the way where OVN programs. Method: rows of the northbound database. */
import t from 'tap';
import { measuredPlan } from './measured-paths.js';

const columnsOf = (policies: number, table: string) =>
  (measuredPlan('ovn', policies).northbound?.zones ?? [])
    .flatMap(({ rows }) => rows)
    .filter((row) => row.table === table)
    .map(({ columns }) => columns);

void t.test('each policy is an ACL of a port group and an address set, and one denies', (t) => {
  t.equal(columnsOf(0, 'ACL').length, 0);
  // One more is open; what is denied by default has two, of which one lets ARP in.
  t.equal(columnsOf(100, 'ACL').length, 100 + 1 + 2);
  t.equal(columnsOf(100, 'Address_Set').length, 100 + 1);
  t.equal(columnsOf(100, 'Port_Group').length, 100 + 1 + 1);
  t.match(
    columnsOf(100, 'ACL').filter(({ match }) => JSON.stringify(match).includes('10.200.0.99/32')),
    [{ action: 'allow-related', direction: 'to-lport' }],
  );
  t.end();
});
