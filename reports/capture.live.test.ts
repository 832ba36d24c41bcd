/**
 * Goal: Wireshark reads our captures as they were meant. Method: tshark lists every packet of a
 * capture with interface, time, direction, comment and bytes, and that is held against the record
 * the capture was made of.
 */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import encap from '../scenarios/antrea/encap.js';
import { sampleRun } from '../harness/explain/sample-run.js';
import { renderCapture } from './capture.js';

const missing =
  spawnSync('tshark', ['--version']).error === undefined
    ? false
    : 'tshark is not on PATH; apt-get install tshark';

function tshark(args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync('tshark', args, {
    encoding: 'utf8',
    maxBuffer: 256 << 20,
  });
  if (status !== 0) throw new Error(`tshark exited with ${status}: ${stderr}`);
  return stdout;
}

void t.test('tshark reads every packet as it was recorded', { skip: missing }, async (t) => {
  const record = await sampleRun([{ scenario: encap, axes: { nodes: '2', tunnel: 'geneve' } }]);
  const file = join(t.testdir({}), 'frames.pcapng');
  writeFileSync(file, renderCapture(record));
  const frames = record.scenarios.flatMap(({ vectors }) =>
    vectors.flatMap(({ vector, real }) =>
      (real?.passes ?? []).flatMap(({ pass, frames: seen }) =>
        seen.map((event) => ({ id: `${vector.id}, ${pass.name}`, ...event })),
      ),
    ),
  );
  const fields = [
    'frame.interface_name',
    'frame.packet_flags_direction',
    'frame.comment',
    'frame.time_epoch',
    'frame.len',
    '_ws.malformed',
  ];
  const lines = tshark(['-r', file, '-T', 'fields', ...fields.flatMap((field) => ['-e', field])])
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => line.split('\t'));
  t.ok(lines.length > 1000, `${lines.length} packets`);
  t.strictSame(
    lines.map(([name, direction, comment, time, length, malformed]) => [
      name,
      Number(direction),
      comment?.split(':')[0],
      Math.round((Number(time) % 1) * 1e6),
      Number(length),
      malformed,
    ]),
    frames.map(({ id, node, port, direction, timeUs, frame }) => [
      `${node}/${port}`,
      direction === 'in' ? 1 : 2,
      id,
      timeUs % 1_000_000,
      frame.length / 2,
      '',
    ]),
  );
  const raw = JSON.parse(tshark(['-r', file, '-T', 'jsonraw'])) as readonly {
    readonly _source: { readonly layers: { readonly frame_raw: readonly [string] } };
  }[];
  t.strictSame(
    raw.map(({ _source }) => _source.layers.frame_raw[0]),
    frames.map(({ frame }) => frame),
  );
});
