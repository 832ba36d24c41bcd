// Goal: a connection of UDP lives as long as Linux keeps it. Method: packets in both directions at
// moments around the two seconds behind which it is a stream, with the timeout that each sets.
import t from 'tap';
import { kernelTimeouts, type TimeoutName } from '../timeouts.js';
import { beginKernelUdp, updateKernelUdp } from './kernel-udp.js';

/** `new` or `valid`, and seconds to live. */
function played(...packets: readonly (readonly ['there' | 'back', number])[]): readonly string[] {
  const seconds = (name: TimeoutName | undefined) =>
    kernelTimeouts[name as keyof typeof kernelTimeouts];
  const { progress, timeout } = beginKernelUdp(1000);
  return [
    `${seconds(timeout)}`,
    ...packets.map(([way, atMs]) => {
      const update = updateKernelUdp(progress, way === 'back', 1000 + atMs);
      return 'timeout' in update ? `${update.kind} ${seconds(update.timeout)}` : update.kind;
    }),
  ];
}

void t.test('before two seconds have passed', async (t) => {
  t.same(played(['there', 500], ['back', 600], ['there', 700], ['back', 800]), [
    '30',
    'new 30',
    'valid 30',
    'valid 30',
    'valid 30',
  ]);
});

void t.test('a stream', async (t) => {
  t.same(played(['back', 500], ['there', 2500]), ['30', 'valid 30', 'valid 120']);
  t.same(
    played(['there', 2500], ['there', 3000]),
    ['30', 'new 30', 'new 30'],
    'not without answer',
  );
  t.same(
    played(['back', 2500], ['back', 2500]),
    ['30', 'valid 30', 'valid 120'],
    'nor by the first answer',
  );
});

void t.test('two seconds to the hundredth', async (t) => {
  for (const atMs of [1900, 2000, 2010])
    t.throws(
      () => played(['back', 0], ['there', atMs]),
      { message: /just two seconds/ },
      `${atMs}`,
    );
  t.same(played(['back', 0], ['there', 1899]), ['30', 'valid 30', 'valid 30']);
  t.same(played(['back', 0], ['there', 2011]), ['30', 'valid 30', 'valid 120']);
});
