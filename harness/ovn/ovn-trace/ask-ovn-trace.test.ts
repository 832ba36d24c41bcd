// Goal: an ovn-trace that ends itself says nothing of its packet, and how it ended; one that
// refuses a packet is no such thing; and where a connection has another mark than the packet that
// it is asked about, that is supposed. Method: a shell in its place, which is ended by each signal,
// prints a failed assertion or a trace, or fails.
import t from 'tap';
import type { LogicalPacket } from '../../domain/logical-trace.js';
import { askOvnTrace, knownFlows } from './ask-ovn-trace.js';

const frame = Uint8Array.from({ length: 60 }, (_, index) => (index === 12 ? 0x86 : 1));
const zone = {
  name: 'z',
  south: { socket: '/nowhere' },
  whileAlive: (work: Promise<unknown>) => work,
} as unknown as Parameters<typeof askOvnTrace>[1];

const untracked = { ctState: () => undefined };

const ask = (
  script: string,
  said: Pick<LogicalPacket, 'ctState' | 'ctMark' | 'ctStates' | 'mark'> = untracked,
) =>
  askOvnTrace(
    { command: () => ['/bin/sh', '-c', script, 'ovn-nbctl'] },
    zone,
    [{ node: 'n1', logicalPort: 'p1', frame, ...said }],
    knownFlows([]),
  ).then(([trace]) => trace);

void t.test('a crash is named', async (t) => {
  t.match(await ask('echo a warning >&2; kill -s SEGV $$'), { crash: 'SIGSEGV', flows: [] });
  t.match(await ask('kill -s ABRT $$'), { crash: 'SIGABRT' });
  t.match(await ask('echo "ovn-trace: assertion a == b failed in f()" >&2; kill -s ABRT $$'), {
    crash: 'assertion a == b failed in f()',
  });
});

void t.test('what it refuses is no crash', async (t) => {
  await t.rejects(ask('echo ovn-trace: no such port >&2; exit 1'), {
    name: 'Unavailable',
    message: /^ovn-trace of zone z cannot follow inport == "p1"/,
  });
  await t.rejects(ask('kill -s TERM $$'), { name: 'Unavailable' });
});

void t.test('a connection with another mark than its packet is asked about with', async (t) => {
  const asks = (uuid: string) =>
    ` 6. ls_in_pre_stateful (northd.c:6273): reg0[0] == 1, priority 100, uuid ${uuid}\n` +
    'ct_next(ct_state=est|trk)\n';
  const marks = (mark: number, marks: Readonly<Record<string, number>>, between = '') =>
    ask(`cat <<'EOF'\n${asks('0000000a')}${between}${asks('0000000b')}EOF`, {
      ...{ mark, ctStates: [0x22, 0x22], ctState: () => 0x22, ctMark: (flow) => marks[flow] },
    }).then((trace) => trace?.supposed);
  const [first, second] = ['0000000a', '0000000b'];
  const other = { what: 'the connection has another mark', field: 'ct_mark' };
  t.strictSame(await marks(1, { [first]: 1, [second]: 1 }), []);
  t.strictSame(await marks(1, { [first]: 1, [second]: 0 }), [{ ...other, from: 2, to: Infinity }]);
  t.strictSame(await marks(0, { [first]: 1, [second]: 0 }), [{ ...other, from: 1, to: 2 }]);
  const cleared = [{ ...other, from: 2, to: Infinity }];
  t.strictSame(await marks(1, { [first]: 1, [second]: 1 }, '    ct_clear;\n'), cleared);
  t.strictSame(await marks(1, { [first]: 1, [second]: 0 }, '    ct_clear;\n'), []);
});
