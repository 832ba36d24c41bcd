// Goal: lines that a backslash joins are one, and what is there twice is named with both lines.
// Method: files of one group and of one meter.
import t from 'tap';
import { parseGroups } from './parse-group.js';
import { parseMeters } from '../meters.js';

void t.test('continued lines, and groups and meters that are there twice', (t) => {
  const continued = 'group_id=9,type=select,\\\n   bucket=weight:100,actions=output:2\n';
  t.equal(parseGroups(continued, 'groups').length, 1);
  t.throws(() => parseGroups(`${continued}group_id=9,type=all`, 'groups'), {
    message: 'groups:3: group 9 is there twice: line 1 has it too',
  });
  const meter = 'meter=1 kbps bands=type=drop,rate=1';
  t.throws(() => parseMeters(`${meter}\n${meter}`, 'meters'), {
    message: 'meters:2: meter 1 is there twice: line 1 has it too',
  });
  t.end();
});
