// Goal: limits under which node fails without a message are named before anything is loaded.
// Method: tables as Linux prints them (proc_pid_limits(5)), this process's among them.
import t from 'tap';
import { areThreadsLimited, lowLimit, readLimits } from './low-limits.js';

const table = (changed: Readonly<Record<string, string>> = {}) =>
  [
    'Limit                     Soft Limit           Hard Limit           Units     ',
    ...Object.entries({
      'Max processes': '95823',
      'Max open files': '1024',
      'Max address space': 'unlimited',
      ...changed,
    }).map(([name, soft]) => `${name.padEnd(25)} ${soft.padEnd(20)} ${'1048576'.padEnd(20)} units`),
    '',
  ].join('\n');

void t.test('what is enough, and what is too low', (t) => {
  t.equal(lowLimit(table()), undefined);
  t.equal(lowLimit(table({ 'Max open files': '512' })), undefined);
  t.same(lowLimit(table({ 'Max open files': '511' })), [
    'too few files may be open: 511, and 512 are needed',
    'raise the limit: ulimit -n 4096',
  ]);
  t.equal(lowLimit(table({ 'Max address space': '4000000000' })), undefined);
  t.match(lowLimit(table({ 'Max address space': '3999999999' })), [
    /^too little memory may be reserved: 3999999999 bytes/,
    /ulimit -v unlimited/,
  ]);
  t.equal(lowLimit(''), undefined, 'where nobody says, it is tried');
  t.end();
});

void t.test('threads', (t) => {
  t.notOk(areThreadsLimited(table()));
  t.notOk(areThreadsLimited(table({ 'Max processes': 'unlimited' })));
  t.ok(areThreadsLimited(table({ 'Max processes': '4095' })));
  t.type(areThreadsLimited(), 'boolean');
  t.equal(lowLimit(readLimits()), undefined, 'this process runs');
  t.end();
});
