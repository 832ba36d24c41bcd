/** A database of Open vSwitch, or of OVN, out of what people have of it. */
import { InputError } from '../../base/errors/errors.js';
import { shorten } from '../../openflow/syntax/text.js';
import type { TextSource } from '../text-source.js';
import { readJsonDump, readTextDump } from './read-dump.js';
import { readLog } from './read-log.js';
import { rowsOf, type Database } from './database.js';

/** The database Open_vSwitch. @throws InputError as `readAnyDatabase`, and for another one. */
export function readDatabase(source: TextSource): Database {
  const database = readAnyDatabase(source);
  if (rowsOf(database, 'Bridge').size === 0)
    throw new InputError('there is no bridge in it: expected the database Open_vSwitch', {
      file: source.file,
    });
  return database;
}

/**
 * Reads `ovsdb-client dump` in its default form and with `-f json`, `ovsdb-client backup`, and
 * the file of a database itself.
 * @throws InputError with file and place for everything else.
 */
export function readAnyDatabase(source: TextSource): Database {
  const { text, file } = source;
  const read = readerOf(text);
  if (read === undefined)
    throw new InputError(
      'expected what "ovsdb-client dump", "ovsdb-client dump -f json" or "ovsdb-client ' +
        `backup" writes, got "${shorten(text.slice(0, 80).split('\n')[0] ?? '')}"`,
      { file },
    );
  return read(source);
}

function readerOf(text: string): ((source: TextSource) => Database) | undefined {
  if (text.startsWith('OVSDB CLUSTER'))
    return (source) => {
      throw new InputError(
        'the file of a clustered database; give what "ovsdb-client backup" writes of it',
        { file: source.file },
      );
    };
  if (text.startsWith('OVSDB JSON')) return readLog;
  if (/^\s*\{/.test(text)) return readJsonDump;
  return /^\w+ table\n/.test(text.trimStart()) ? readTextDump : undefined;
}
