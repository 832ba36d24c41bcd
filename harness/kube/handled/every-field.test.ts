// Goal: the table says of every field of every kind how each control plane handles it, and of
// nothing else; what nobody reads is not said to be played, and what changes nothing is read by
// nobody. Method: walk the schemas of the kinds.
import t from 'tap';
import { policiesOfOthers, schemas } from '../kinds.js';
import { controlPlanes, handlingWhere } from './handling.js';
import { schemaFields } from './schema-fields.js';
import { handledFields } from './table.js';

const kinds = { ...schemas, ...policiesOfOthers };

const covers = (entry: string, path: string) =>
  entry !== '' && (path === entry || path.startsWith(`${entry}.`));

for (const [kind, schema] of Object.entries(kinds))
  void t.test(kind, (t) => {
    const table = handledFields[kind as keyof typeof kinds];
    const fields = schemaFields(schema);
    const entryOf = (path: string) =>
      Object.keys(table)
        .filter((entry) => covers(entry, path))
        .sort((a, b) => b.length - a.length)[0];
    t.same(
      fields.filter(({ path }) => entryOf(path) === undefined).map(({ path }) => path),
      [],
      'every field stands in the table',
    );
    t.same(
      Object.keys(table).filter(
        (entry) => entry !== '' && !fields.some(({ path }) => covers(entry, path)),
      ),
      [],
      'and nothing that is no field',
    );
    const saidToBePlayed = fields.filter(({ path, isUnread }) => {
      const entry = entryOf(path);
      return (
        isUnread &&
        entry !== undefined &&
        controlPlanes.some(
          (name) => handlingWhere(table[entry] ?? { kind: 'played' }, name).kind === 'played',
        )
      );
    });
    t.same(
      saidToBePlayed.map(({ path }) => path),
      [],
      'what nobody reads is not played',
    );
    const readForNothing = fields.filter(({ path, isUnread }) => {
      const handled = table[entryOf(path) ?? ''];
      return (
        !isUnread &&
        handled !== undefined &&
        controlPlanes.every((name) => handlingWhere(handled, name).kind === 'nothing')
      );
    });
    t.same(
      readForNothing.map(({ path }) => path),
      [],
      'what changes nothing is not read',
    );
    t.ok(fields.length > 3, `${fields.length} fields`);
    t.end();
  });

void t.test('fields of a schema', (t) => {
  t.same(
    schemaFields(schemas.EndpointSlice)
      .map(({ path }) => path)
      .filter((path) => /^ports/.test(path)),
    ['ports.name', 'ports.protocol', 'ports.port', 'ports.appProtocol'],
  );
  t.match(
    schemaFields(schemas.Pod).find(({ path }) => path === 'spec.initContainers.ports.hostPort'),
    { isUnread: true },
  );
  t.end();
});
