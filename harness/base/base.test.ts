// Goal: addresses, digests, seeded numbers and the words of errors are what they are said to be;
// every level builds on them. Method: known answers (FIPS 180-4 for SHA-256), the edges of each
// notation, and names as people mistype them.
import { spawnSync } from 'node:child_process';
import t from 'tap';
import {
  cidrContains,
  formatIpv4,
  formatMac,
  ipv4Number,
  macBytes,
  parseCidr,
  prefixMask,
} from './addresses/mac-and-ipv4.js';
import { canonicalJson, sha256 } from './files/digest.js';
import {
  complaint,
  formatPlace,
  InputError,
  Unavailable,
  Unsupported,
  unknownName,
} from './errors/errors.js';
import { createPool } from './concurrency/create-pool.js';
import { oncePer } from './once-per.js';
import { attempt } from './errors/outcome.js';
import { randomFor } from './random.js';
import { lineToType, shellLine } from './text/shell-line.js';
import { deserialiseError, serialiseError } from './errors/serialised-error.js';
import { readYamlDocuments } from './text/yaml.js';

void t.test('MAC addresses', (t) => {
  t.same([...macBytes('0a:00:FF:7f:80:01')], [0x0a, 0, 0xff, 0x7f, 0x80, 1]);
  t.equal(formatMac(Uint8Array.of(9, 0x0a, 0, 0xff, 0x7f, 0x80, 1, 9), 1), '0a:00:ff:7f:80:01');
  t.equal(formatMac(Uint8Array.of(0x0a, 0, 0xff, 0x7f, 0x80, 1, 9)), '0a:00:ff:7f:80:01');
  t.equal(formatMac(Uint8Array.of(0x0a, 0)), '0a:00::::', 'what is cut off');
  for (const text of [
    '',
    '0a:00:0a:0a:00',
    '0a:00:0a:0a:00:01:02',
    '0a:00:0a:0a:00:1',
    '0a:00:0a:0a:00:0g',
    '0a-00-0a-0a-00-01',
    'x0a:00:0a:0a:00:01',
    '0a:00:0a:0a:00:01x',
  ])
    t.throws(() => macBytes(text), { name: 'InputError', message: `got "${text}"` }, text);
  t.end();
});

void t.test('what follows from data is derived once for each object', (t) => {
  const derived: string[] = [];
  const lengthOf = oncePer(({ name }: { readonly name: string }) => {
    derived.push(name);
    return name === '' ? undefined : name.length;
  });
  const [a, b, nobody] = [{ name: 'a' }, { name: 'a' }, { name: '' }];
  t.same([a, a, b, nobody, nobody].map(lengthOf), [1, 1, 1, undefined, undefined]);
  t.same(derived, ['a', 'a', '']);
  t.end();
});

void t.test('IPv4 addresses and blocks', (t) => {
  for (const [text, number] of [
    ['0.0.0.0', 0],
    ['255.255.255.255', 0xffffffff],
    ['192.0.2.100', 0xc0000264],
    ['1.20.9.10', 0x0114090a],
  ] as const) {
    t.equal(ipv4Number(text), number);
    t.equal(formatIpv4(number), text);
  }
  for (const text of [
    '',
    '1.2.3',
    '1..3.4',
    '1.2.3.:',
    '1.2.3.4.5',
    '1.2.3.256',
    '1.2.3.04',
    '1.2.3.',
    '1.2.3.x4',
    '1.2.3.4x',
    '1.2.3.1000',
    '+1.2.3.4',
  ])
    t.throws(() => ipv4Number(text), { name: 'InputError', message: `got "${text}"` }, text);
  t.same([0, 1, 24, 31, 32].map(prefixMask), [0, 0x80000000, 0xffffff00, 0xfffffffe, 0xffffffff]);
  t.same(parseCidr('10.10.1.77/24'), { number: 0x0a0a0100, prefixLength: 24 });
  t.same(parseCidr('200.10.1.77'), { number: 0xc80a014d, prefixLength: 32 });
  t.same(parseCidr('200.10.1.77/0'), { number: 0, prefixLength: 0 });
  for (const text of [
    '',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0.0/x8',
    '10.0.0.0/8x',
    '10.0.0.0/-1',
    '/8',
  ])
    t.throws(() => parseCidr(text), { name: 'InputError' }, text);
  const block = parseCidr('200.10.1.0/24');
  t.same(
    ['200.10.0.255', '200.10.1.0', '200.10.1.255', '200.10.2.0'].map((ip) =>
      cidrContains(block, ipv4Number(ip)),
    ),
    [false, true, true, false],
  );
  t.end();
});

void t.test('digests', (t) => {
  t.equal(sha256('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  t.equal(sha256(Uint8Array.of(0x61, 0x62, 0x63)), sha256('abc'));
  t.equal(
    canonicalJson({ b: [3, { z: 1, y: null }], a: 'text', c: undefined }),
    '{"a":"text","b":[3,{"y":null,"z":1}]}',
  );
  t.equal(canonicalJson({ c: 1, a: 2, d: 3, b: 4 }), '{"a":2,"b":4,"c":1,"d":3}');
  t.end();
});

void t.test('the same numbers for the same seed and purpose, for ever', (t) => {
  const drawn = (seed: number, purpose: string, from: number, to: number): readonly number[] => {
    const random = randomFor(seed, purpose);
    return [1, 2, 3, 4].map(() => random.integer(from, to));
  };
  t.same(drawn(1, 'ping/p1/p2', 0, 0xffff), [14620, 60007, 64767, 39603]);
  t.same(drawn(2, 'ping/p1/p2', 0, 0xffff), [60258, 32995, 51927, 40055]);
  t.same(drawn(1, 'x', 5, 7), [5, 5, 6, 6]);
  t.end();
});

void t.test('what errors say', (t) => {
  t.equal(formatPlace({ file: 'a.flows', line: 3, column: 7 }), 'a.flows:3:7');
  t.equal(formatPlace({ file: 'a.flows' }), 'a.flows');
  t.equal(new InputError('no', { file: 'a.flows', line: 3 }).message, 'a.flows:3: no');
  t.match(new InputError('no'), { message: /^no$/, place: undefined });
  const many = Array.from({ length: 21 }, (_, index) => `name-${index}`);
  t.match(unknownName('pod', 'x', many).message, /name-19 and 1 more\.$/);
  t.match(unknownName('pod', 'x', many.slice(1)).message, /name-20\.$/);
  t.equal(unknownName('pod', 'x', []).message, 'unknown pod "x". Known: none.');
  // One edit is close, and one more for every three characters.
  const close = [
    'abcdefghi',
    'abcdef',
    'defghi',
    'abcghi',
    'abcdefghixyz',
    'xyzdefghi',
    'abxyzfghi',
    'xbcdefgh',
    'bcdefghij',
  ];
  const far = ['abcde', 'efghi', 'xyzwefghi', 'abcdefghiwxyz', 'xabcdefgyzw', 'ihgfedcba', ''];
  for (const name of close)
    t.match(
      unknownName('pod', name, ['other', 'abcdefghi']).message,
      /Did you mean "abcdefghi"\?/,
      name,
    );
  for (const name of far)
    t.notMatch(unknownName('pod', name, ['other', 'abcdefghi']).message, 'Did you mean', name);
  t.match(unknownName('pod', 'ax', ['ab']).message, /Did you mean "ab"/);
  t.notMatch(unknownName('pod', 'xy', ['ab']).message, 'Did you mean');
  t.notMatch(unknownName('pod', 'xxxxxb', ['ab']).message, 'Did you mean');
  t.notMatch(
    unknownName('pod', 'b', ['a']).message,
    'Did you mean',
    'of one character nothing is close',
  );
  t.equal(
    complaint(() => macBytes('no')),
    'expected a MAC address such as 0a:00:0a:0a:00:01, got "no"',
  );
  t.equal(
    complaint(() => macBytes('0a:00:0a:0a:00:01')),
    undefined,
  );
  t.throws(
    () =>
      complaint(() => {
        throw new TypeError('ours');
      }),
    { name: 'TypeError' },
  );
  t.end();
});

void t.test("the environment's failures become values, others go on up", async (t) => {
  t.same(await attempt(() => Promise.resolve(7)), { kind: 'ok', value: 7 });
  const cause = new Unavailable('no daemon');
  t.same(await attempt(() => Promise.reject(cause)), { kind: 'unavailable', cause });
  await t.rejects(
    attempt(() => Promise.reject(new InputError('no'))),
    { name: 'InputError' },
  );
});

void t.test('what is shown of an input does not steer a terminal', (t) => {
  t.equal(
    new InputError('got "\x1b[31m\0\x7f\x9b"', { file: 'a\x07b', line: 1 }).message,
    'a\\x07b:1: got "\\x1b[31m\\x00\\x7f\\x9b"',
  );
  t.equal(
    new InputError('one\n\ttwo é\u202e\u2028\u2067').message,
    'one\\n\\ttwo é\\u202e\\u2028\\u2067',
  );
  t.equal(new InputError(['one', 'a\nb'], { file: 'f' }).message, 'f: one\na\\nb');
  const { message, remedies, evidence } = new Unavailable('a\nb', ['c\nd'], ['\x1be']);
  t.same(
    [message, remedies, evidence, new Unsupported('f\r').message],
    ['a\\nb', ['c\\nd'], ['\\x1be'], 'f\\x0d'],
  );
  t.end();
});

void t.test('work goes to whoever is free, in turn, and waits where nobody is', async (t) => {
  const give = createPool(['a', 'b']);
  const [done, log]: [(() => void)[], string[]] = [[], []];
  const work = (name: string) =>
    give((hand) => {
      log.push(`${name} by ${hand}`);
      return new Promise<string>((resolve, reject) =>
        done.push(() => {
          if (name === 'fails') reject(new Error(name));
          else resolve(name);
        }),
      );
    });
  const all = ['one', 'fails', 'three', 'four'].map(work);
  t.same(log, ['one by a', 'fails by b']);
  done[1]?.();
  await t.rejects(async () => void (await all[1]), { message: 'fails' });
  t.same(log.slice(2), ['three by b'], 'who failed is free again');
  done[0]?.();
  t.equal(await all[0], 'one');
  t.same(log.slice(3), ['four by a']);
  for (const end of done.slice(2)) end();
  t.same(await Promise.all(all.slice(2)), ['three', 'four']);
  t.equal(await give((hand) => Promise.resolve(hand)), 'b');
});

void t.test('failures that another process reports are what they were', (t) => {
  for (const error of [
    new InputError('no', { file: 'f', line: 3 }),
    new Unavailable('gone', ['wait'], ['last words']),
    new Unsupported('unknown'),
    new TypeError('odd'),
  ]) {
    const restored = deserialiseError(structuredClone(serialiseError(error)));
    t.equal(restored.message, error.message);
    t.same(
      [
        restored instanceof InputError,
        restored instanceof Unavailable,
        restored instanceof Unsupported,
      ],
      [error instanceof InputError, error instanceof Unavailable, error instanceof Unsupported],
    );
  }
  t.match(deserialiseError(serialiseError(new Unavailable('gone', ['wait'], ['last words']))), {
    remedies: ['wait'],
    evidence: ['last words'],
  });
  t.match(
    deserialiseError(serialiseError(new TypeError('odd'))).stack,
    /^TypeError: odd\n.*base\.test/,
  );
  t.equal(serialiseError('thrown').message, 'thrown');
  t.end();
});

void t.test(
  'what a program wrote as JSON is read as what it is, with its places as in YAML',
  (t) => {
    const value = {
      kind: 'Pod',
      metadata: { name: 'a\n', labels: { 'x/y': '1', on: 'no' } },
      spec: { ports: [80, 1e21, -0.5], empty: [], none: null },
    };
    const text = JSON.stringify(value, null, 1);
    const [[quick], [slow]] = [
      readYamlDocuments(text, 'f'),
      readYamlDocuments(`# by hand\n${text}`, 'f'),
    ];
    t.same(quick?.value, value);
    t.same(quick?.value, slow?.value);
    const problem = { path: ['metadata', 'labels', 'on'] };
    t.same(quick?.placeOf(problem), { file: 'f', line: 7, column: 10 });
    t.same(slow?.placeOf(problem), { file: 'f', line: 8, column: 10 });
    t.throws(
      () => readYamlDocuments('{\n "a": 1,\n "a": 2\n}', 'f'),
      { name: 'InputError', message: /f:3:2/ },
      'a key twice',
    );
    t.throws(() => readYamlDocuments('{\n "a": 1', 'f'), { name: 'InputError' });
    t.end();
  },
);

void t.test('words of a shell', (t) => {
  t.equal(
    shellLine(['a/b:c', '--x=1', '', "it's", '$HOME', '=x']),
    "a/b:c --x=1 '' 'it'\\''s' '$HOME' '=x'",
  );
  t.equal(
    lineToType(['a/b:c', "it's", '\x1b[2J', "'\\\n"]),
    "a/b:c 'it'\\''s' $'\\033[2J' $'\\'\\\\\\012'",
  );
  t.end();
});

void t.test('a shell gives each word back as it was', (t) => {
  const words = [
    '../../../esc',
    'a/b',
    '$(touch x)',
    'a b',
    `'"`,
    'a\nb\t',
    '\x1b[2J\x7f',
    'ä\u202e',
    '-rf',
    '=ls',
    '~',
    '*',
    '\\',
    '',
    '!1',
    '`id`',
  ];
  const wordsOf = (shell: string, line: string) =>
    spawnSync(shell, ['-c', `printf '%s\\0' ${line}`])
      .stdout.toString()
      .split('\0')
      .slice(0, -1);
  t.same(wordsOf('sh', shellLine(words)), words);
  t.same(wordsOf('bash', lineToType(words)), words);
  t.notMatch(lineToType(words), /[\x00-\x1f\x7f\u202e]/);
  t.end();
});
