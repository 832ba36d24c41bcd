// Goal: databases are printed so that they read as they were. Method: one with columns of every
// kind there and back.
import t from 'tap';
import type { Database } from './database.js';
import { printJsonDump } from './print-dump.js';
import { readDatabase } from './read-database.js';

void t.test('print and read are inverse', (t) => {
  const database: Database = {
    file: 'x',
    tables: new Map([
      [
        'Bridge',
        new Map([
          [
            'b',
            new Map<string, readonly string[] | ReadonlyMap<string, string>>([
              ['_uuid', ['b']],
              ['name', ['br0']],
              ['ports', ['p', 'q']],
              ['other_config', new Map([['a', 'b,c']])],
              ['fail_mode', []],
            ]),
          ],
        ]),
      ],
    ]),
  };
  t.strictSame(readDatabase({ text: printJsonDump(database), file: 'x' }), database);
  t.end();
});
