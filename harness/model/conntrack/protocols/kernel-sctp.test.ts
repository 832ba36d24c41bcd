// Goal: an association of SCTP goes through the states that Linux prints of it, and what is no part
// of it is distinguished. Method: chunks in both directions, in order, with the state and the tags
// behind each.
import t from 'tap';
import { viewOf } from '../../../packet/bytes/header-layout.js';
import { sctpChunkTypes as chunk } from '../../../packet/protocols/transport/sctp-chunk.js';
import {
  beginKernelSctp,
  printKernelSctp,
  updateKernelSctp,
  type TrackedChunks,
} from './kernel-sctp.js';

function packet(tag: number, ...types: readonly number[]): TrackedChunks {
  return { tag, chunks: types.map((type) => ({ type, flags: 0, length: 4, value: empty })) };
}

const empty = new Uint8Array();

function init(type: number, tag: number, asked: number): TrackedChunks {
  const value = new Uint8Array(16);
  viewOf(value).setUint32(0, asked);
  return { tag, chunks: [{ type, flags: 0, length: 20, value }] };
}

const [ours, theirs] = [11, 22];

function states(
  first: TrackedChunks,
  ...then: readonly (readonly ['there' | 'back', TrackedChunks])[]
): readonly string[] {
  const begun = beginKernelSctp(first);
  if (begun === undefined) return ['none'];
  const { progress } = begun;
  return [
    printKernelSctp(progress),
    ...then.map(([way, next]) => {
      const updated = updateKernelSctp(progress, next, way === 'back');
      return updated.kind === 'invalid' ? 'invalid' : printKernelSctp(progress);
    }),
  ].map((text) => text.replaceAll(/state=|vtag_\w+=/g, ''));
}

void t.test('a whole association', async (t) => {
  t.same(
    states(
      init(chunk.init, 0, ours),
      ['back', init(chunk.initAck, ours, theirs)],
      ['there', packet(theirs, chunk.cookieEcho, chunk.data)],
      ['back', packet(ours, chunk.cookieAck, chunk.sack)],
      ['there', packet(theirs, chunk.shutdown)],
      ['back', packet(ours, chunk.shutdownAck)],
      ['there', packet(theirs, chunk.shutdownComplete)],
    ),
    [
      'CLOSED,0,11',
      'COOKIE_WAIT,22,11',
      'COOKIE_ECHOED,22,11',
      'ESTABLISHED,22,11',
      'SHUTDOWN_SENT,22,11',
      'SHUTDOWN_ACK_SENT,22,11',
      'CLOSED,22,11',
    ],
  );
});

void t.test('what begins none', async (t) => {
  t.same(states(packet(7, chunk.data)), ['none'], 'data');
  t.same(states(packet(7, chunk.abort)), ['none'], 'an abort');
  t.same(states(init(chunk.init, 7, ours)), ['none'], 'INIT with a tag');
  t.same(states(packet(0)), ['none'], 'no chunk');
});

void t.test('what is no part of it', async (t) => {
  t.same(
    states(
      init(chunk.init, 0, ours),
      ['back', init(chunk.initAck, theirs, theirs)],
      ['back', packet(ours, chunk.sack, chunk.init)],
      ['back', packet(theirs, chunk.abort)],
      ['back', packet(ours, chunk.abort)],
    ),
    ['CLOSED,0,11', 'invalid', 'invalid', 'invalid', 'CLOSED,0,11'],
  );
});

void t.test('an INIT that is sent again', async (t) => {
  const begun = beginKernelSctp(init(chunk.init, 0, ours));
  t.ok(begun, 'an INIT begins one');
  if (begun !== undefined)
    t.same(updateKernelSctp(begun.progress, init(chunk.init, 0, ours), false), { kind: 'new' });
});
