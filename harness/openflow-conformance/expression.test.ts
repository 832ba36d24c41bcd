/**
 * Goal: the corpus's expressions are read as Python reads them, and what is none is refused with
 * its place. Method: each form once, those of the corpus and what is next to them.
 */
import t from 'tap';
import { evaluate, isCall, parseExpression, type Value } from './expression.js';

const plain = (value: Value): unknown =>
  value instanceof Uint8Array
    ? Buffer.from(value).toString('hex')
    : isCall(value)
      ? {
          [value.name]: Object.fromEntries(
            [...value.arguments].map(([name, item]) => [name, plain(item)]),
          ),
        }
      : Array.isArray(value)
        ? value.map((item) => plain(item as Value))
        : value;
const read = (text: string) =>
  plain(
    evaluate(parseExpression(text), (name, values) => (name === 'bytes' ? values[0] : undefined)),
  );

void t.test('values', async (t) => {
  t.strictSame(read("b'\\x01\\t\\n\\r\\\\\\'\"A\\xff'"), '01090a0d5c272241ff');
  t.strictSame(read('b"it\'s"'), '69742773');
  t.strictSame(read("bytes(b'\\x11' * (60 - 42))"), '11'.repeat(18));
  t.strictSame(read("'10::10'"), '10::10');
  t.strictSame(read('0xfeff'), 0xfeffn);
  t.strictSame(read('2 ** 48 - 1'), 2n ** 48n - 1n);
  t.strictSame(read('7 - 2 - 1'), 4n, 'from the left');
  t.strictSame(read('0xff & 2 ** 4 - 1'), 15n, 'and binds weakest');
  t.strictSame(read('2 * 3 ** 2'), 18n);
});

void t.test('calls', async (t) => {
  t.strictSame(read("tcp(dst_port=2222, option=bytes(b'\\x00' * 4),src_port=1)"), {
    tcp: { dst_port: 2222n, option: '00000000', src_port: 1n },
  });
  t.strictSame(read('tcp()'), { tcp: {} });
  t.strictSame(read('a(b(1, 2), c=[d(), e(x=3)])'), {
    a: { 0: { b: { 0: 1n, 1: 2n } }, c: [{ d: {} }, { e: { x: 3n } }] },
  });
  t.strictSame(read('netaddr.EUI(1)'), { 'netaddr.EUI': { 0: 1n } });
});

void t.test('what is none', async (t) => {
  for (const [text, message] of [
    ['tcp(', 'expected a value at character 5 of "tcp("'],
    ['tcp(1 2)', 'expected "," or ")" at character 7 of "tcp(1 2)"'],
    ['tcp() x', 'expected the end at character 7 of "tcp() x"'],
    ['', 'expected a value at character 1 of ""'],
    ["b'\\q'", 'the corpus escapes a byte in a way that is not known: \\q'],
  ] as const)
    t.throws(() => parseExpression(text), { message }, text);
  t.throws(() => read("'a' - 1"), { message: 'the corpus calculates with what is no number' });
});
