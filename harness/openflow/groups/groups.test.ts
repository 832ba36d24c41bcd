// Goal: files of groups and meters, dumps of them and changes to groups are read line by line, and
// refused with the place and the reason. Method: small files; tables of changes and of exact
// errors. What Open vSwitch makes of single groups and meters is in corpus/.
import { readFileSync } from 'node:fs';
import t from 'tap';
import { canonical, noNames } from '../syntax/form.js';
import { parseGroup, parseGroups } from './parse-group.js';
import { parseGroupChange } from './parse-group-change.js';
import { printGroup } from './print-group.js';
import { parseMeter, parseMeters, printMeter } from '../meters.js';

void t.test('files of groups', async (t) => {
  const text =
    'OFPST_GROUP_DESC reply (OF1.3) (xid=0x2):\nNXST_GROUP_DESC reply (xid=0x2):\n # of ' +
    'nobody\n\n   \ngroup_id=1,type=all,bucket=output:1 # of two\n ' +
    'group_id=2,type=indirect,bucket=drop\n';
  t.throws(
    () => parseGroups(text, 'groups.txt'),
    { message: /^groups\.txt:6:37: / },
    'a comment has a line of its own',
  );
  const groups = parseGroups(text.replace(' # of two', ''), 'groups.txt');
  t.match(groups, [
    { id: 1, type: 'all' },
    { id: 2, type: 'indirect' },
  ]);
  t.equal(groups.length, 2);
  const inserted =
    'group_id=1,type=ff,bucket=bucket_id:0,watch_port:1,actions=output:1,bucket=bucket_id:4,' +
    'actions=output:3';
  t.throws(() => parseGroups(inserted, 'groups.txt'), {
    message: 'groups.txt:1:76: a bucket of a fast failover group needs watch_port or watch_group',
  });
  t.strictSame(
    parseGroups(`OFPST_GROUP_DESC reply (OF1.5) (xid=0x2):\n ${inserted}`, 'groups.txt').map(
      (group) => printGroup(group),
    ),
    [inserted],
    'a switch that had one inserted reports it',
  );
  t.throws(
    () => parseGroups(`# from an OFPST_GROUP_DESC reply\n${inserted}`, 'groups.txt'),
    { message: /^groups\.txt:2:76: a bucket/ },
    'a comment is no title',
  );
  t.throws(() => parseGroupChange(`add ${inserted}`), { message: /^group:1:80: a bucket/ });
  t.throws(() => parseGroups('\ngroup_id=1\n', 'groups.txt'), {
    message: 'groups.txt:2:1: a group needs a type: all, select, indirect, ff',
  });
});

void t.test('changes of groups', async (t) => {
  const bucket = { weight: 0, actions: [{ kind: 'output', port: 1 }] };
  const read: readonly (readonly [text: string, change: unknown])[] = [
    ['group_id=1,type=all', { kind: 'add', group: { id: 1, type: 'all', buckets: [] } }],
    ['add group_id=1,type=all', { kind: 'add', group: { id: 1, type: 'all', buckets: [] } }],
    [
      '  modify group_id=1,type=all',
      { kind: 'modify', group: { id: 1, type: 'all', buckets: [] } },
    ],
    [
      'add_or_mod group_id=1,type=all',
      { kind: 'add_or_mod', group: { id: 1, type: 'all', buckets: [] } },
    ],
    ['delete', { kind: 'delete', id: 'all' }],
    ['delete group_id=all', { kind: 'delete', id: 'all' }],
    ['delete group_id=7', { kind: 'delete', id: 7 }],
    [
      'insert_bucket group_id=1,command_bucket_id=first,bucket=output:1',
      { kind: 'insert_bucket', id: 1, place: 'first', buckets: [bucket] },
    ],
    [
      'insert_bucket group_id=1,command_bucket_id=last,bucket=bucket_id:9,output:1',
      { kind: 'insert_bucket', id: 1, place: 'last', buckets: [{ ...bucket, id: 9 }] },
    ],
    [
      'insert_bucket group_id=1,command_bucket_id=3,bucket=output:1',
      { kind: 'insert_bucket', id: 1, place: 3, buckets: [bucket] },
    ],
    ['remove_bucket group_id=1', { kind: 'remove_bucket', id: 1, place: 'all' }],
    [
      'remove_bucket group_id=1,command_bucket_id=all',
      { kind: 'remove_bucket', id: 1, place: 'all' },
    ],
    [
      'remove_bucket group_id=1,command_bucket_id=first',
      { kind: 'remove_bucket', id: 1, place: 'first' },
    ],
    [
      'remove_bucket group_id=1,command_bucket_id=last',
      { kind: 'remove_bucket', id: 1, place: 'last' },
    ],
    [
      'remove_bucket group_id=1,command_bucket_id=4294967040',
      { kind: 'remove_bucket', id: 1, place: 4294967040 },
    ],
  ];
  for (const [text, change] of read) t.strictSame(parseGroupChange(text), change, text);
  const refused: readonly (readonly [text: string, message: string])[] = [
    ['delete type=all', 'group:1:8: expected group_id or bucket=, got "type"'],
    [
      'delete command_bucket_id=1',
      'group:1:8: expected group_id or bucket=, got "command_bucket_id"',
    ],
    [
      'group_id=1 add,type=all',
      'group:1:12: expected group_id, type, selection_method, selection_method_param, fields ' +
        'or bucket=, got "add"',
    ],
    [
      'insert_bucket group_id=1,bucket=output:1',
      'group:1:15: insert_bucket needs command_bucket_id=first, last or the id of a bucket',
    ],
    [
      'insert_bucket group_id=1,command_bucket_id=all,bucket=output:1',
      'group:1:15: insert_bucket needs command_bucket_id=first, last or the id of a bucket',
    ],
    [
      'insert_bucket group_id=all,command_bucket_id=first,bucket=output:1',
      'group:1:15: insert_bucket changes one group',
    ],
    [
      'insert_bucket type=all',
      'group:1:15: expected group_id, command_bucket_id or bucket=, got "type"',
    ],
    ['remove_bucket group_id=all', 'group:1:15: remove_bucket changes one group'],
    [
      'remove_bucket type=all',
      'group:1:15: expected group_id, command_bucket_id or bucket=, got "type"',
    ],
    [
      'remove_bucket group_id=1,command_bucket_id=4294967041',
      'group:1:44: command_bucket_id: expected a number from 0 to 4294967040, got "4294967041"',
    ],
    [
      'group_id=1,type=all,bucket=bucket_id:1,drop,bucket=bucket_id:1,drop',
      'group:1:52: two buckets have the id 1',
    ],
  ];
  for (const [text, message] of refused)
    t.throws(() => parseGroupChange(text), { name: 'InputError', message }, text);
  t.throws(() => parseGroupChange('fly', noNames, { file: 'changes.txt', line: 3 }), {
    message: /^changes\.txt:3:1: /,
  });
});

void t.test('fields of a group come in the order of Open vSwitch', async (t) => {
  const names = readFileSync(
    new URL('../../../../harness/openflow/testkit/corpus/group-fields.txt', import.meta.url),
    'utf8',
  )
    .trimEnd()
    .split('\n');
  const group = parseGroup(
    `group_id=1,type=select,selection_method=hash,fields(${names.toReversed().join()}),bucket=drop`,
  );
  t.equal(
    printGroup(group),
    `group_id=1,type=select,selection_method=hash,fields(${names.join()}),bucket=bucket_id:0,` +
      'actions=drop',
  );
});

void t.test('buckets', async (t) => {
  const named = { ...noNames, ports: new Map([['p1', 1]]) };
  t.equal(
    printGroup(parseGroup('group_id=1,type=ff,bucket=Watch_Port:p1,ACTION=2', named)),
    'group_id=1,type=ff,bucket=bucket_id:0,watch_port:1,actions=output:2',
  );
  t.equal(
    printGroup(parseGroup('group_id=1,type=ff,bucket=watch_port:1,actions=2'), {
      ...canonical,
      ...named,
    }),
    'group_id=1,type=ff,bucket=bucket_id:0,watch_port:p1,actions=output:2',
  );
  t.equal(
    printGroup(parseGroup('group_id=1,type=all,bucket=watch_port:ANY,drop')),
    'group_id=1,type=all,bucket=bucket_id:0,actions=drop',
  );
  t.equal(
    printGroup(parseGroup('group_id=1,type=select,bucket=watch_port:CONTROLLER,drop')),
    'group_id=1,type=select,bucket=bucket_id:0,watch_port:CONTROLLER,actions=drop',
  );
  t.match(
    parseGroupChange('insert_bucket group_id=1,command_bucket_id=last,bucket=weight:5,drop'),
    { buckets: [{ weight: 5 }] },
    'whose group may be of any type',
  );
  t.throws(() => parseGroup('group_id=1,type=select,bucket=watch_port:65527,drop'), {
    message: /watch_port: "65527" is no port that can be up or down/,
  });
  for (const type of ['all', 'indirect'])
    t.throws(() => parseGroup(`group_id=1,type=${type},bucket=watch_port:1,drop`), {
      message: /watch_port and watch_group are for groups of type ff or select/,
    });
});

void t.test('files of meters', async (t) => {
  const dump =
    'OFPST_METER_CONFIG reply (OF1.3) (xid=0x2):\nmeter=1 kbps bands=\ntype=drop ' +
    'rate=1000\n\n # of nobody\nmeter=controller pktps burst stats bands=\n  type=drop rate=2 ' +
    'burst_size=3\ntype=dscp_remark rate=1 burst_size=4 prec_level=5\n';
  const meters = parseMeters(dump, 'meters.txt');
  t.strictSame(meters.map(printMeter), [
    'meter=1 kbps bands=\ntype=drop rate=1000',
    'meter=controller pktps burst stats bands=\ntype=drop rate=2 ' +
      'burst_size=3\ntype=dscp_remark rate=1 burst_size=4 prec_level=5',
  ]);
  t.strictSame(
    parseMeters(
      'meter=1 kbps bands=type=drop rate=1\npktps, meter=2 bands=type=drop rate=2',
      'meters.txt',
    ).map(printMeter),
    ['meter=1 kbps bands=\ntype=drop rate=1', 'meter=2 pktps bands=\ntype=drop rate=2'],
    'on one line, in any order',
  );
  const refused: readonly (readonly [text: string, place: string])[] = [
    ['type=drop rate=1', '1:1: a meter needs bands: band=type=drop,rate=1000'],
    [
      '#\nmeter=1 kbps fly bands=\ntype=drop rate=1',
      '2:14: expected meter=, kbps, pktps, burst, stats or bands=, got "fly"',
    ],
    [
      '#\nmeter=1 kbps bands=\ntype=drop rate=1\ntype=drop rate=0x',
      '4:16: rate: expected a number from 0 to 4294967295, got "0x"',
    ],
    [
      'meter=1 kbps bands=type=drop,rate=1,fly=1',
      '1:37: expected type=, rate=, burst_size= or prec_level=, got "fly=1"',
    ],
    [
      'meter=1 kbps bands=type=drop,rate',
      '1:30: expected type=, rate=, burst_size= or prec_level=, got "rate"',
    ],
    [
      'meter=1 kbps bands=type=drop,1rate=1',
      '1:30: expected type=, rate=, burst_size= or prec_level=, got "1rate=1"',
    ],
  ];
  for (const [text, message] of refused)
    t.throws(
      () => parseMeters(text, 'meters.txt'),
      { name: 'InputError', message: `meters.txt:${message}` },
      text,
    );
  t.throws(() => parseMeter('meter=1'), {
    message: 'meter:1:1: a meter needs bands: band=type=drop,rate=1000',
  });
});
