// Goal: a transaction makes a northbound database hold what a plan wants, says nothing of what it
// holds already, and leaves rows of others alone. Method: operations are applied to rows in
// memory, of a schema of a few tables; then each way in which a plan can be wrong.
import t from 'tap';
import {
  staticMacBindingId,
  type NorthboundRow,
  type NorthboundTable,
} from '../../domain/plan/northbound-plan.js';
import type { Operation, Row } from '../../ovs/ovsdb/ovsdb.js';
import {
  canonicalValue,
  northboundChanges,
  ownerKey,
  rowUuid,
  type HeldRows,
} from './northbound-changes.js';
import { readSchema } from './schema.js';

const text = { type: 'string' } as const;
const texts = { type: { key: 'string', min: 0, max: 'unlimited' } } as const;
const settings = { type: { key: 'string', value: 'string', min: 0, max: 'unlimited' } } as const;
const references = {
  type: { key: { type: 'uuid', refTable: 'Logical_Switch_Port' }, min: 0, max: 'unlimited' },
} as const;
const schema = readSchema(
  JSON.stringify({
    tables: {
      NB_Global: { columns: { options: settings, nb_cfg: { type: 'integer' } } },
      Logical_Switch: {
        columns: { name: text, ports: references, other_config: settings, external_ids: settings },
      },
      Logical_Switch_Port: {
        columns: {
          name: text,
          addresses: texts,
          up: { type: { key: 'boolean', min: 0, max: 1 } },
          external_ids: settings,
        },
      },
      Static_MAC_Binding: { columns: { logical_port: text, ip: text, mac: text } },
    },
  }),
);

const port = (name: string, ...addresses: readonly string[]): NorthboundRow => ({
  table: 'Logical_Switch_Port',
  id: `port ${name}`,
  columns: { name, addresses: { set: addresses } },
});
const network = (...ports: readonly NorthboundRow[]): readonly NorthboundRow[] => [
  {
    table: 'Logical_Switch',
    id: 'switch',
    columns: { name: 's', ports: { set: ports.map(({ id }) => ({ row: id })) } },
  },
  ...ports,
];
const changes = (wanted: readonly NorthboundRow[], held: HeldRows = new Map()) =>
  northboundChanges('z', wanted, held, schema, '1.2.3');

/** `["_uuid", "==", ["uuid", "…"]]` */
function uuidIn({ where }: { readonly where: readonly (readonly unknown[])[] }): string {
  const [, , value] = where[0] ?? [];
  return Array.isArray(value) ? String(value[1]) : '';
}

/** The rows after the operations, as a database prints them: a set of one is what is in it. */
function applied(operations: readonly Operation[], held: HeldRows): HeldRows {
  const tables = new Map([...held].map(([table, rows]) => [table, new Map(rows)]));
  const printed = (row: Row): Row =>
    Object.fromEntries(
      Object.entries(row).map(([column, value]) => {
        const [tag, content] = Array.isArray(value) ? (value as [string, unknown[]]) : ['', []];
        return [column, tag === 'set' && content.length === 1 ? (content[0] as string) : value];
      }),
    );
  for (const operation of operations) {
    const table = operation.table as NorthboundTable;
    const rows = tables.get(table) ?? new Map<string, Row>();
    tables.set(table, rows);
    if (operation.op === 'insert') rows.set(operation.uuid ?? '', printed(operation.row));
    if (operation.op === 'delete') rows.delete(uuidIn(operation));
    if (operation.op === 'update')
      rows.set(uuidIn(operation), { ...rows.get(uuidIn(operation)), ...printed(operation.row) });
  }
  return tables;
}

void t.test('what is wanted is inserted once, and then nothing is left to do', async (t) => {
  const wanted = network(port('a', '02:00:00:00:00:01 10.0.0.1'), port('b'));
  const operations = changes(wanted);
  t.strictSame(
    operations.map(({ op, table }) => `${op} ${table}`),
    ['insert Logical_Switch', 'insert Logical_Switch_Port', 'insert Logical_Switch_Port'],
  );
  const held = applied(operations, new Map());
  t.strictSame(changes(wanted, held), []);
  t.strictSame(changes(wanted.toReversed(), held), [], 'in any order');
});

void t.test('only what differs is written', async (t) => {
  const before = applied(changes(network(port('a', 'x', 'y'), port('b'))), new Map());
  t.strictSame(changes(network(port('a', 'y', 'x'), port('b')), before), [], 'no order in a set');
  const operations = changes(network(port('a', 'x'), port('c')), before);
  t.strictSame(
    operations.map((operation) => [operation.op, 'row' in operation ? operation.row : {}]),
    [
      [
        'update',
        {
          ports: [
            'set',
            [
              ['uuid', rowUuid('z', 'port a')],
              ['uuid', rowUuid('z', 'port c')],
            ],
          ],
        },
      ],
      ['update', { addresses: ['set', ['x']] }],
      [
        'insert',
        {
          name: 'c',
          addresses: ['set', []],
          external_ids: ['map', [[ownerKey, 'port c']]],
        },
      ],
      ['delete', {}],
    ],
  );
  const after = applied(operations, before);
  t.strictSame(changes(network(port('a', 'x'), port('c')), after), []);
});

void t.test('what northd writes, and rows of others, stay as they are', async (t) => {
  const wanted = network(port('a'));
  const before = applied(changes(wanted), new Map());
  const ports = new Map(before.get('Logical_Switch_Port'));
  ports.set(rowUuid('z', 'port a'), { ...ports.get(rowUuid('z', 'port a')), up: true });
  ports.set('foreign', { name: 'f', external_ids: ['map', [['owner', 'somebody']]] });
  const held: HeldRows = new Map([...before, ['Logical_Switch_Port', ports]]);
  t.strictSame(changes(wanted, held), []);
  t.strictSame(
    changes([], held).map(({ op, table }) => `${op} ${table}`),
    ['delete Logical_Switch', 'delete Logical_Switch_Port'],
  );
});

void t.test('options of NB_Global are put beside those of northd', async (t) => {
  const wanted: readonly NorthboundRow[] = [
    { table: 'NB_Global', id: 'global', columns: { options: { map: { mac_prefix: '0a' } } } },
  ];
  const row = (options: Readonly<Record<string, string>>): HeldRows =>
    new Map([['NB_Global', new Map([['u', { options: ['map', Object.entries(options)] }]])]]);
  t.strictSame(changes(wanted, row({ mac_prefix: '0a', max_tunid: '7' })), []);
  t.match(changes(wanted, row({ mac_prefix: '0b', max_tunid: '7' })), [
    {
      op: 'mutate',
      mutations: [
        ['options', 'delete', ['set', ['mac_prefix']]],
        ['options', 'insert', ['map', [['mac_prefix', '0a']]]],
      ],
    },
  ]);
});

void t.test('who remembers nothing finds what is stale, and leaves rows of others', async (t) => {
  const binding = (ip: string): NorthboundRow => ({
    table: 'Static_MAC_Binding',
    id: staticMacBindingId('lrp', ip),
    columns: { logical_port: 'lrp', ip, mac: '02:00:00:00:00:01' },
  });
  const wanted = [...network(port('a'), port('b')), binding('10.0.0.1'), binding('10.0.0.2')];
  const ours = applied(changes(wanted), new Map());
  const foreign = {
    Logical_Switch_Port: { name: 'c', external_ids: ['map', [['owner', 'others']]] },
    Static_MAC_Binding: { logical_port: 'lrp', ip: '10.0.0.3', mac: '02:00:00:00:00:03' },
  } as const satisfies Partial<Record<NorthboundTable, Row>>;
  const held = new Map(ours);
  for (const [table, row] of Object.entries(foreign) as [NorthboundTable, Row][])
    held.set(table, new Map([...(ours.get(table) ?? []), [`of others in ${table}`, row]]));
  const operations = changes([...network(port('a')), binding('10.0.0.1')], held);
  t.strictSame(
    operations
      .filter(({ op }) => op === 'delete')
      .map((operation) => ('where' in operation ? uuidIn(operation) : '')),
    [rowUuid('z', 'port b'), rowUuid('z', staticMacBindingId('lrp', '10.0.0.2'))],
  );
});

void t.test('a plan that cannot be applied is refused by name', async (t) => {
  const wrong = (row: NorthboundRow) => () => changes([row]);
  t.throws(
    wrong({ table: 'ACL', id: 'acl', columns: {} }),
    /^unsupported by OVN 1\.2\.3: the table ACL$/,
  );
  t.throws(
    wrong({ table: 'Logical_Switch_Port', id: 'p', columns: { peer: 'q' } }),
    /unsupported by OVN 1\.2\.3: column peer of Logical_Switch_Port, which p has/,
  );
  t.throws(
    wrong({ table: 'Logical_Switch', id: 's', columns: { ports: { set: [{ row: 'p' }] } } }),
    /row "s" refers to "p", which is no row/,
  );
  t.throws(() => changes([port('a'), port('a')]), /two northbound rows called "port a"/);
  t.equal(canonicalValue(['set', ['x']]), canonicalValue('x'), 'a set of one is what is in it');
  t.not(canonicalValue(['set', []]), canonicalValue(''), 'a set of none is not an empty text');
});
