// Goal: ports have whole names although `show` cuts them, and dumps that contradict each other are
// an error; meters, options and rows go to the switch as their dumps have them. Method: texts as
// Open vSwitch prints them.
import t from 'tap';
import { bondHashes } from './shown-bonds.js';
import { dumpedSwitch } from './dumped-switch.js';
import { programWords } from './program-words.js';
import { shownRows } from './shown-rows.js';
import { matchPorts, withCutNames } from './matched-ports.js';
import { readShow } from './dumped-ports.js';
import type { DatabaseBridge } from './ovsdb/database-bridges.js';

const source = (text: string) => ({ file: 'ports', text });
const shown = source(
  ' 3(patch-provnet-4): addr:02:00:00:00:00:03\n     config:     NO_FLOOD\n' +
    ' 4(patch-provnet-4): addr:02:00:00:00:00:04\n     config:     0\n' +
    ' LOCAL(br0): addr:02:00:00:00:00:01\n     config:     0\n',
);
const recorded = (...names: readonly string[]): DatabaseBridge => ({
  settings: {},
  tables: new Map(),
  unknown: [],
  notes: [],
  rows: [],
  tunnels: [],
  ports: names.map((name, at) => ({ name, ofport: at + 3, settings: {} })),
});

void t.test('names that are cut', (t) => {
  const read = readShow(shown);
  t.strictSame([...read.ports.keys()], ['3', '4', 'br0'], 'by number without a database');
  const both = recorded('patch-provnet-4c-to-br-int', 'patch-provnet-4d-to-br-int');
  const matched = matchPorts('br0', 'ports', read, both);
  t.strictSame(
    [...matched.ports],
    [
      ['patch-provnet-4c-to-br-int', 3],
      ['patch-provnet-4d-to-br-int', 4],
      ['br0', 65534],
    ],
  );
  t.strictSame(matched.settings.get('patch-provnet-4c-to-br-int'), { flood: 'never' });
  t.equal(withCutNames(matched.ports).has('patch-provnet-4'), false, 'it may be either');
  t.equal(withCutNames(new Map([['patch-provnet-4c-to', 3]])).get('patch-provnet-4'), 3);
  const flows = { file: 'flows', text: 'table=0, actions=NORMAL' };
  const { notes, plan } = dumpedSwitch([{ bridge: 'br0', flows, ports: shown }]);
  t.match(notes.join(), /ports 3, 4 are all shown as patch-provnet-4/);
  t.strictSame(
    plan.bridges[0]?.ports.map(({ name }) => name),
    ['3', '4'],
  );
  t.end();
});

void t.test('dumps that contradict each other', (t) => {
  const read = readShow(shown);
  const match =
    (...names: readonly string[]) =>
    () =>
      matchPorts('br0', 'ports', read, recorded(...names));
  t.throws(match('patch-provnet-4c', 'eth0'), {
    message: /port 4 is patch-provnet-4 here, and eth0/,
  });
  t.throws(match('patch-provnet-4c'), { message: /port 4 is patch-provnet-4 here, and no port/ });
  t.throws(match('patch-provnet-4c', 'patch-provnet-4d', 'eth0'), {
    message: /port 5, eth0 of br0 in the database, is missing here/,
  });
  const flows = { file: 'flows', text: 'table=0, actions=NORMAL' };
  t.throws(() => dumpedSwitch([{ bridge: 'br1', flows, ports: shown }]), {
    message: /this is what "ovs-ofctl show br0" prints; expected that of br1/,
  });
  t.end();
});

void t.test('as they stand', (t) => {
  t.strictSame(
    programWords(
      source(
        'OFPST_METER_CONFIG reply (OF1.3) (xid=0x2):\nmeter=1 kbps bands=\ntype=drop rate=10\n',
      ),
      source(' mapping table:\n  class  type  length  match field\n 0x102 0x80 4 tun_metadata0'),
    ),
    {
      meters: ['meter=1 kbps bands= type=drop rate=10'],
      tunnelOptions: ['{class=0x102,type=0x80,len=4}->tun_metadata0'],
    },
  );
  const rows = shownRows([{ bridge: 'br0', ports: shown }]);
  t.strictSame(
    rows.flatMap(({ table, columns }) => (table === 'Interface' ? [columns.get('name')] : [])),
    [['br0'], ['3'], ['4']],
  );
  t.strictSame(
    bondHashes('---- b0 ----\nbond_mode: balance-slb\n\nmember p1: enabled\n  hash 7: 2 kB load\n'),
    [['b0', '7', 'p1']],
  );
  t.end();
});
