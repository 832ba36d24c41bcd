// Goal: pages are read without scrolling sideways, and each room has one. Method: read every page
// of the project; each rule must also catch a planted violation.
import t from 'tap';
import { roomOf } from './import-violations.js';
import { complainAboutColumns, complainAboutRooms } from './page-violations.js';
import { readPages, readSources } from './sources.js';

void t.test('lines of pages have at most 100 columns', async (t) => {
  const written = (await readPages()).filter(({ path }) => !path.includes('/golden/'));
  t.same(written.flatMap(complainAboutColumns), []);
});

void t.test('a planted long line is caught', (t) => {
  const long = `${'word '.repeat(20)}more`;
  const columns = (text: string): readonly string[] =>
    complainAboutColumns({ path: 'docs/a.md', text });
  t.same(columns(`# A\n\n${long}\n`), ['docs/a.md:3: 104 columns, at most 100']);
  t.match(columns(`- ${long}`), ['docs/a.md:1: 106 columns, at most 100']);
  t.match(columns(`\`\`\`\n${long}\n\`\`\`\n${long}`), [/^docs\/a\.md:4: /], 'behind a code block');
  t.same(columns(`| ${long} |\n\n    ${long}\n\nhttps://${'x'.repeat(100)}`), []);
  t.end();
});

void t.test('each room has a README.md', async (t) => {
  const rooms = [...new Set((await readSources()).map(({ path }) => roomOf(path)))].filter(
    (room) => !room.endsWith('.ts'),
  );
  t.ok(rooms.length > 25, rooms.join(', '));
  t.same(complainAboutRooms(rooms, await readPages()), []);
});

void t.test('a planted room is caught', (t) => {
  const page = (text: string): readonly string[] =>
    complainAboutRooms(['harness/a'], [{ path: 'harness/a/README.md', text }]);
  t.match(complainAboutRooms(['harness/a'], []), [/^harness\/a: expected a README\.md/]);
  t.match(page(`# b\n${'line\n'.repeat(6)}`), [/:1: expected "# harness\/a", got "# b"/]);
  t.match(page('# harness/a\n\nShort.\n'), [/: 2 lines, expected 5 to 35/]);
  t.match(page(`# harness/a\n${'line\n'.repeat(36)}`), [/: 36 lines, expected 5 to 35/]);
  t.same(page(`# harness/a\n${'line\n'.repeat(9)}`), []);
  t.end();
});
