/** A program of a night that measures or checks something. */
import { execa } from 'execa';
import { withParentDeathSignal } from '../../ovs/process/parent-death-signal.js';
import { measureRow, type Measurement } from '../../history/rows-of-record.js';
import type { Measure } from '../../nightly/nightly-file.js';
import { shellLine } from '../../base/text/shell-line.js';
import { sha256 } from '../../base/files/digest.js';
import type { Night } from './play-night.js';

/** What it prints beyond this is not kept. */
const outputBytesMax = 1 << 24;

export async function runMeasure(
  { context, open, program, machine }: Night,
  measure: Measure,
): Promise<void> {
  context.say(`measuring: ${measure.name}`);
  const [file, ...args] = withParentDeathSignal(process.pid, measure.command);
  const ended = await execa(file, args, {
    reject: false,
    stdin: 'ignore',
    env: { FLOWBED_ROOT: context.root, FLOWBED_NIGHT: open.folder },
    maxBuffer: outputBytesMax,
    timeout: measure.limit_minutes * 60_000,
    killSignal: 'SIGKILL',
  });
  const inputs = { program, command: sha256(shellLine(measure.command)) };
  await open.finish(`measure ${measure.name}`, [
    measureRow(measurementOf(measure, ended), inputs, {
      night: open.night,
      at: open.at,
      machine,
      program,
      memoryKib: null,
      gates: measure.gates,
      folder: '',
    }),
  ]);
}

export function measurementOf(
  { name, unit }: Pick<Measure, 'name' | 'unit'>,
  {
    exitCode,
    stdout,
    stderr,
  }: {
    readonly exitCode?: number | undefined;
    readonly stdout?: string;
    readonly stderr?: string;
  },
): Measurement {
  const samples = (stdout ?? '')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(Number)
    .filter((value) => Number.isFinite(value));
  const said = (stderr ?? '').split('\n').findLast((line) => line.trim() !== '') ?? '';
  return {
    name,
    unit,
    samples,
    verdict: exitCode === 0 ? 'conforms' : exitCode === 1 ? 'diverges' : 'inconclusive',
    summary:
      exitCode === 0 ? '' : `it ended with ${exitCode ?? 'no exit code'}${said && `: ${said}`}`,
  };
}
