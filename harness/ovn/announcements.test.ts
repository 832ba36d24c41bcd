// Goal: what each chassis announces is read out of the southbound database. Method: rows as OVN
// writes them, of each type of port, and with one thing different at a time.
import t from 'tap';
import type { Row } from '../ovs/ovsdb/ovsdb.js';
import { announcementsOf } from './announcements.js';

const uuid = (name: string) => ['uuid', name] as const;
const map = (entries: Readonly<Record<string, string>>) =>
  ['map', Object.entries(entries)] as const;
const mac = '0a:00:00:00:00:01';
const port = (name: string, type: string, key: number, more: Row = {}): Row => ({
  logical_port: name,
  type,
  tunnel_key: key,
  datapath: uuid('outside'),
  ...more,
});
const localnet = port('ln', 'localnet', 1, { options: map({ network_name: 'physnet' }) });
const chassis = (name: string, mappings: string): Row => ({
  _uuid: uuid(name),
  name,
  other_config: map({ 'ovn-bridge-mappings': mappings }),
});
const announced = (ports: readonly Row[], mappings = 'other:br-x,physnet:br-ex') =>
  Object.fromEntries(
    announcementsOf({
      portBindings: [localnet, ...ports],
      datapaths: [{ _uuid: uuid('outside'), tunnel_key: 7 }],
      chassis: [chassis('n1', mappings), chassis('n2', mappings)],
    }),
  );
const at = (more: object) => ({ datapath: 7, port: 2, mac, ...more });

void t.test('of a gateway router, at its chassis', (t) => {
  const gateway = (more: Row) => port('etor', 'l3gateway', 2, { chassis: uuid('n1'), ...more });
  const addresses = gateway({
    nat_addresses: ['set', [`${mac} 10.0.0.1`, `${mac} 10.0.0.8 fd00::8`]],
  });
  const both = [at({ ip: '10.0.0.1' }), at({ ip: '10.0.0.8' })];
  t.strictSame(announced([addresses]), { n1: both, n2: [] });
  t.strictSame(announced([gateway({ nat_addresses: mac })]), { n1: [at({})], n2: [] });
  t.strictSame(announced([addresses], 'other:br-x'), { n1: [], n2: [] }, 'no such network there');
  const disabled = { ...addresses, options: map({ disable_garp_rarp: 'true' }) };
  t.strictSame(announced([disabled]), { n1: [], n2: [] });
  t.throws(
    () => announced([addresses, port('other', 'patch', 3)]),
    { name: 'Unsupported', message: /learn of each other.*: etor, other$/ },
    'another router would learn',
  );
  t.end();
});

void t.test('of a distributed router, where the port that is named is', (t) => {
  const to = (resident: string) =>
    port('rp', 'patch', 2, { nat_addresses: `${mac} 10.0.0.5${resident}` });
  const redirect = port('cr-lrp', 'chassisredirect', 4, { chassis: uuid('n2') });
  const here = to(' is_chassis_resident("cr-lrp")');
  t.strictSame(announced([here, redirect]), { n1: [], n2: [at({ ip: '10.0.0.5' })] });
  t.strictSame(announced([to(''), redirect]), { n1: [], n2: [] }, 'nowhere');
  t.end();
});

void t.test('of a pod or machine, where it is bound: its first address', (t) => {
  const pod = (text: string) => port('p1', '', 2, { chassis: uuid('n2'), mac: text });
  t.strictSame(announced([pod(`${mac} 10.0.0.2 10.0.0.3`)]), {
    n1: [],
    n2: [at({ ip: '10.0.0.2' })],
  });
  t.strictSame(announced([pod(`${mac} fd00::2`)]), { n1: [], n2: [at({})] });
  t.strictSame(announced([pod('unknown')]), { n1: [], n2: [] });
  t.end();
});
