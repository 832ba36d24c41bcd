// Goal: what ovn-controller is given to learn is read from the message that hands it over, and a
// row of MAC_Binding that says something else is noticed. Method: fields as Open vSwitch 3.5 writes
// them (OpenFlow 1.5), a frame with the MAC address alone, and rows in memory, each changed once.
import t from 'tap';
import type { Row } from '../ovs/ovsdb/ovsdb.js';
import { neighbourIn, unwritten, type NeighbourTables } from './learned-neighbours.js';

const hex = (text: string) => Uint8Array.from(Buffer.from(text.replaceAll(' ', ''), 'hex'));
/** metadata 4; reg0 172.30.255.1, reg1 172.30.128.1; reg14 2. */
const metadata = hex('80000408 0000000000000004 80010008ac1eff01ac1e8001 80010e080000000200000000');
const frame = hex('0a00ac1e0001 0a00ac1eff01 0806');
const x1 = { datapath: 4, port: 2, ip: '172.30.255.1', mac: '0a:00:ac:1e:ff:01' };
const router = '11111111-1111-1111-1111-111111111111';
const other = '22222222-2222-2222-2222-222222222222';

const tables: NeighbourTables = {
  datapaths: [
    { _uuid: ['uuid', other], tunnel_key: 3 },
    { _uuid: ['uuid', router], tunnel_key: 4 },
  ],
  portBindings: [
    { logical_port: 'p1', tunnel_key: 2, datapath: ['uuid', other] },
    { logical_port: 'rtoe-GR_n1', tunnel_key: 2, datapath: ['uuid', router] },
  ],
  macBindings: [{ logical_port: 'rtoe-GR_n1', ip: x1.ip, mac: x1.mac, datapath: ['uuid', router] }],
};

void t.test('the address is in the first register, or in the first four', (t) => {
  t.strictSame(neighbourIn({ frame, metadata }, 'IPv4'), x1);
  const both = hex('80010008fd00001000100001 800102080000000000000009');
  t.match(neighbourIn({ frame, metadata: both }, 'IPv6'), { ip: 'fd00:10:10:1::9', port: 0 });
  t.end();
});

void t.test('each neighbour as it was learned last', (t) => {
  t.strictSame(unwritten([{ ...x1, mac: '0a:00:00:00:00:99' }, x1], tables), []);
  const what = '172.30.255.1 at port rtoe-GR_n1';
  t.strictSame(unwritten([x1, { ...x1, mac: '0a:00:00:00:00:99' }], tables), [
    `the MAC binding of ${what} has ${x1.mac}, and not 0a:00:00:00:00:99`,
  ]);
  t.end();
});

void t.test('a row for another port, datapath or address is none', (t) => {
  const [row = {}] = tables.macBindings;
  const wrongs: readonly Row[] = [
    { logical_port: 'p1' },
    { datapath: ['uuid', other] },
    { ip: '172.30.0.9' },
  ];
  for (const wrong of wrongs)
    t.strictSame(
      unwritten([x1], { ...tables, macBindings: [{ ...row, ...wrong }] }),
      [`no MAC binding of 172.30.255.1 at port rtoe-GR_n1, which has ${x1.mac}`],
      JSON.stringify(wrong),
    );
  t.end();
});
