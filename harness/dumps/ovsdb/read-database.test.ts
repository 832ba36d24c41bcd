/**
 * Goal: a database is the same whatever it was written by, and all that packets depend on is read
 * from it; what is malformed is reported with its place. Method: small databases in each form,
 * letter by letter as Open vSwitch 3.5 writes them.
 */
import t from 'tap';
import { dumpedSwitch } from '../dumped-switch.js';
import { bridgesOf } from './database-bridges.js';
import { readDatabase } from './read-database.js';
import { setOf, type Database } from './database.js';

const [bridge, port, uplink, local, access, patch] = ['b', 'p', 'u', 'l', 'a', 'c'].map(
  (letter) => `${letter.repeat(8)}-0000-4000-8000-000000000000`,
) as [string, string, string, string, string, string];
const source = (text: string) => ({ text, file: 'db' });

/** As `ovsdb-client dump` prints it: each column as wide as the widest value. */
function table(
  name: string,
  headings: readonly string[],
  ...rows: readonly (readonly string[])[]
): string {
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => Buffer.byteLength(row[column] ?? ''))),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - Buffer.byteLength(cell)))
      .join(' ');
  return [
    `${name} table`,
    line(headings),
    widths.map((width) => '-'.repeat(width)).join(' '),
    ...rows.map(line),
    '',
  ].join('\n');
}

const text = [
  table('AutoAttach', ['_uuid', 'mappings']),
  table(
    'Bridge',
    [
      '_uuid',
      'external_ids',
      'fail_mode',
      'flow_tables',
      'mcast_snooping_enable',
      'mirrors',
      'name',
      'other_config',
      'ports',
      'rstp_enable',
      'stp_enable',
    ],
    [
      bridge,
      '{"a=b"="c, d"}',
      'standalone',
      `{9=${uplink}}`,
      'true',
      `[${port}]`,
      '"br-ü"',
      '{hwaddr="02:00:00:00:00:01", mcast-snooping-aging-time="20", ' +
        'mcast-snooping-disable-flood-unregistered="true", mcast-snooping-table-size=many}',
      `[${local}, ${access}]`,
      'false',
      'false',
    ],
    [port, '{}', '[]', '{}', 'false', '[]', 'br1', '{}', `[${patch}, ${uplink}]`, 'false', 'true'],
  ),
  table('Flow_Table', ['_uuid', 'name'], [uplink, 'Output']),
  table(
    'Interface',
    ['_uuid', 'mac_in_use', 'name', 'ofport', 'options', 'type'],
    [local, '"02:00:00:00:00:09"', '"br-ü"', '65534', '{}', 'internal'],
    [access, '[]', 'acc', '3', '{peer=pt}', 'patch'],
    [patch, '[]', 'pt', '4', '{peer=acc}', 'patch'],
    [uplink, '[]', 'gone', '-1', '{}', '""'],
    [port, '[]', 'loose', '5', '{peer=nowhere}', 'patch'],
  ),
  table(
    'Mirror',
    [
      '_uuid',
      'name',
      'output_port',
      'output_vlan',
      'select_all',
      'select_dst_port',
      'select_src_port',
      'select_vlan',
      'snaplen',
    ],
    [port, 'span', access, '[]', 'false', `[${access}]`, '[]', '[5, 6]', '100'],
  ),
  table(
    'Port',
    ['_uuid', 'interfaces', 'name', 'other_config', 'protected', 'tag', 'trunks', 'vlan_mode'],
    [local, local, '"br-ü"', '{}', 'false', '[]', '[]', '[]'],
    [
      access,
      access,
      'acc',
      '{mcast-snooping-flood="true", mcast-snooping-flood-reports="false"}',
      'false',
      '5',
      '[]',
      'access',
    ],
    [patch, `[${patch}, ${port}]`, 'bond', '{}', 'true', '[]', '[7, 8]', '[]'],
    [uplink, uplink, 'gone', '{}', 'false', '[]', '[]', '[]'],
  ),
].join('\n');

function sameAsJson(text: string): string {
  const { tables } = readDatabase(source(text));
  return [...tables]
    .map(([name, rows]) => {
      const headings = [...([...rows.values()][0]?.keys() ?? [])];
      const json = (value: unknown) =>
        value instanceof Map ? ['map', [...value]] : ['set', value];
      return JSON.stringify({
        caption: `${name} table`,
        headings,
        data: [...rows.values()].map((row) => headings.map((heading) => json(row.get(heading)))),
      });
    })
    .join('\n');
}

void t.test('bridges, ports, VLANs, patch ports, mirrors', (t) => {
  const bridges = bridgesOf(readDatabase(source(text)));
  const { rows, ...read } = bridges.get('br-ü') ?? { rows: [] };
  t.ok(rows.length > 3, 'what says something of it is kept');
  t.strictSame(read, {
    mac: '02:00:00:00:00:01',
    ports: [
      {
        name: 'acc',
        ofport: 3,
        peer: { bridge: 'br1', port: 'pt' },
        settings: { vlan: { trunks: [], tag: 5, mode: 'access' } },
      },
    ],
    tunnels: [],
    tables: new Map([['Output', 9]]),
    settings: {
      failMode: 'standalone',
      mirrors: [
        {
          name: 'span',
          vlans: [5, 6],
          select: { sources: [], destinations: ['acc'] },
          output: { kind: 'port', port: 'acc' },
          snapLength: 100,
        },
      ],
      multicastSnooping: { ageingS: 20, unregistered: 'to routers', flood: ['acc'] },
    },
    unknown: [],
    notes: [],
  });
  t.match(bridges.get('br1'), {
    mac: undefined,
    settings: { failMode: 'secure', mirrors: [], multicastSnooping: undefined },
    unknown: ['patch port loose, whose peer is on no bridge', 'stp_enable=true of Bridge br1'],
    ports: [
      {
        name: 'pt',
        ofport: 4,
        peer: { bridge: 'br-ü', port: 'acc' },
        settings: { vlan: { trunks: [7, 8] } },
      },
      { name: 'loose', ofport: 5 },
    ],
  });
  t.strictSame(bridgesOf(readDatabase(source(sameAsJson(text)))), bridges, 'with -f json');
  t.end();
});

void t.test('switches of it', (t) => {
  const bridges = bridgesOf(readDatabase(source(text)));
  const flows = { text: 'table=Output,in_port=acc actions=output:acc\n', file: 'flows' };
  const { plan, unlisted } = dumpedSwitch([{ bridge: 'br-ü', flows }], bridges);
  t.match(
    plan.bridges,
    [
      {
        name: 'br-ü',
        mac: '02:00:00:00:00:01',
        failMode: 'standalone',
        multicastSnooping: { ageingS: 20 },
        flows: ['table=9, priority=32768,in_port=3 actions=output:3'],
        ports: [{ kind: 'endpoint', name: 'acc', vlan: { tag: 5 } }],
      },
    ],
    'the other end is not there',
  );
  t.equal(unlisted.size, 0);
  t.throws(() => dumpedSwitch([{ bridge: 'br1', flows }], bridges), {
    name: 'Unsupported',
    message: /nothing is known of patch port loose, .*stp_enable=true of Bridge br1 of bridge br1/,
  });
  t.throws(() => dumpedSwitch([{ bridge: 'br2', flows }], bridges), {
    name: 'InputError',
    message: /unknown bridge "br2".*br-ü, br1/,
  });
  t.end();
});

void t.test('files of databases: rows come, change by differences or as a whole, and go', (t) => {
  const schema = {
    name: 'Open_vSwitch',
    tables: {
      Bridge: {
        columns: {
          name: { type: 'string' },
          ports: { type: { key: { type: 'uuid' }, min: 0, max: 'unlimited' } },
          fail_mode: { type: { key: 'string', min: 0, max: 1 } },
          other_config: { type: { key: 'string', value: 'string', min: 0, max: 'unlimited' } },
        },
      },
    },
  };
  const log = (...records: readonly object[]) =>
    source(
      records
        .map((record) => `${JSON.stringify(record)}\n`)
        .map((record) => `OVSDB JSON ${Buffer.byteLength(record)} ${'0'.repeat(40)}\n${record}`)
        .join(''),
    );
  const start = {
    Bridge: {
      b1: {
        name: 'br0',
        ports: [
          'set',
          [
            ['uuid', 'x'],
            ['uuid', 'y'],
          ],
        ],
        other_config: [
          'map',
          [
            ['a', '1'],
            ['b', '2'],
          ],
        ],
      },
      b2: { name: 'ü' },
    },
  };
  const row = ({ tables }: Database) => tables.get('Bridge')?.get('b1') ?? new Map();
  const difference = row(
    readDatabase(
      log(schema, start, {
        _is_diff: true,
        Bridge: {
          b1: {
            ports: [
              'set',
              [
                ['uuid', 'y'],
                ['uuid', 'z'],
              ],
            ],
            fail_mode: 'secure',
            other_config: [
              'map',
              [
                ['a', '1'],
                ['b', '3'],
                ['c', '4'],
              ],
            ],
          },
          b2: null,
        },
      }),
    ),
  );
  t.strictSame(
    [setOf(difference, 'ports'), setOf(difference, 'fail_mode'), difference.get('other_config')],
    [
      ['x', 'z'],
      ['secure'],
      new Map([
        ['b', '3'],
        ['c', '4'],
      ]),
    ],
  );
  const whole = readDatabase(
    log(schema, start, { Bridge: { b1: { ports: ['uuid', 'y'] }, b2: null } }),
  );
  t.strictSame([setOf(row(whole), 'ports'), whole.tables.get('Bridge')?.size], [['y'], 1]);
  const { text: written } = log(schema, start);
  for (const [what, message] of [
    [written.slice(0, -9), /^db: byte \d+: a record of \d+ bytes, but the file ends after \d+/],
    [`${written}rubbish`, /^db: byte \d+: expected "OVSDB JSON LENGTH SHA1", got "rubbish"/],
    [written.replace('{"Bridge"', '{!Bridge"'), /^db: byte \d+: the record is not JSON/],
  ] as const)
    t.throws(() => readDatabase(source(what)), { name: 'InputError', message });
  t.end();
});

void t.test('what is wrong', (t) => {
  const wrong = (text: string, message: RegExp) =>
    t.throws(
      () => bridgesOf(readDatabase(source(text))),
      { name: 'InputError', message },
      String(message),
    );
  wrong('', /^db: expected what "ovsdb-client dump", .* writes, got ""/);
  wrong('<table border=1>', /got "<table border=1>"/);
  wrong(
    'OVSDB CLUSTER 5 0\n',
    /^db: the file of a clustered database; give what "ovsdb-client backup"/,
  );
  wrong(table('Bridge', ['_uuid', 'name']), /there is no bridge in it/);
  wrong(
    'Bridge table\n_uuid name\nbr0\n',
    /^db:3: expected a line of dashes below the headings, got "br0"/,
  );
  wrong(
    `${table('Bridge', ['_uuid', 'name'], [bridge, 'br0'])}\nrubbish\n`,
    /^db:6: expected the title of a table, such as "Bridge table", got "rubbish"/,
  );
  wrong(
    table('Bridge', ['_uuid', 'name'], [bridge, '{a}']),
    /^db:4:39: expected KEY=VALUE, got "a"/,
  );
  wrong(table('Bridge', ['_uuid', 'name'], [bridge, '["a]']), /^db:4:\d+: " is never closed/);
  wrong(
    table('Bridge', ['_uuid', 'name'], [bridge, '']),
    /^db:4:\d+: expected a value, got nothing/,
  );
  wrong('{"caption":"Bridge table"}', /^db:1: expected a table with caption, headings and data/);
  wrong('{"caption":', /^db:1: not JSON/);
  wrong(
    '{"caption":"Bridge table","headings":["_uuid","name"],"data":[[["uuid","x"],{}]]}',
    /^db: expected a value as OVSDB writes it, such as \["set",\[\]\], got \{\}/,
  );
  wrong(
    text.replace('access ', 'acess  '),
    /^db: vlan_mode of port acc: expected one of access, .*, got "acess"/,
  );
  t.end();
});
