// Goal: an ovn-trace that ends itself says nothing of its packet, and how it ended; one that
// refuses a packet is no such thing. Method: a shell in its place, which is ended by each signal,
// prints a failed assertion, or fails.
import t from 'tap';
import { askOvnTrace, knownFlows } from './ask-ovn-trace.js';

const frame = Uint8Array.from({ length: 60 }, (_, index) => (index === 12 ? 0x86 : 1));
const zone = {
  name: 'z',
  south: { socket: '/nowhere' },
  whileAlive: (work: Promise<unknown>) => work,
} as unknown as Parameters<typeof askOvnTrace>[1];

const ask = (script: string) =>
  askOvnTrace(
    { command: () => ['/bin/sh', '-c', script, 'ovn-nbctl'] },
    zone,
    [{ node: 'n1', logicalPort: 'p1', frame, ctState: () => undefined }],
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
