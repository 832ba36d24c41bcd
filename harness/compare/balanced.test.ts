// Goal: what is promised of a Service is broken by every way in which it can be.
// Method: notes of hosts as a sound run leaves them, and each with one thing otherwise.
import t from 'tap';
import type { Intent } from '../nouns/intent.js';
import type { HostNote } from '../nouns/observation.js';
import type { Stimulus } from '../nouns/vector.js';
import { judge } from './intent.js';

type Balanced = Extract<Intent, { readonly kind: 'balanced' }>;

const ip = '10.96.0.10';
const either: Balanced = { kind: 'balanced', answerers: [{ to: 'a', sources: ['10.10.1.2'] }, { to: 'b', sources: ['10.10.1.2', '10.10.1.1'] }], spread: 'any', why: 'the web' };
const udp: Stimulus = { kind: 'udp', from: 'p', to: ip, port: 53 };
const tcp: Stimulus = { kind: 'tcp', from: 'p', to: ip, port: 80 };
const calls = (count: number, protocol: 'TCP' | 'UDP' = 'UDP'): Stimulus => ({ kind: 'calls', protocol, from: 'p', to: ip, port: 53, count, everyMs: 1 });

const received = (host: string, src: string, what: 'udp' | 'tcp' = 'udp'): HostNote => ({ timeUs: 1, host, kind: 'received', what, src, dst: '10.0.0.1', ttl: 63 });
const exchange = (host: string, source = '10.10.1.2'): readonly HostNote[] => [received(host, source), received('p', ip)];
const connection = (host: string, source = '10.10.1.2'): readonly HostNote[] => [
  { timeUs: 1, host: 'p', kind: 'connected', as: 'opener', peer: ip }, { timeUs: 1, host, kind: 'connected', as: 'answerer', peer: source }, received(host, source, 'tcp'), received('p', ip, 'tcp'),
  { timeUs: 1, host: 'p', kind: 'closed', peer: ip }, { timeUs: 1, host, kind: 'closed', peer: source },
];
const verdict = (intent: Intent, stimulus: Stimulus, notes: readonly HostNote[]) => judge(intent, stimulus, { frames: [], notes })?.actual ?? 'kept';

void t.test('one that is asked for', async (t) => {
  t.equal(verdict(either, udp, exchange('a')), 'kept');
  t.equal(verdict(either, udp, exchange('b', '10.10.1.1')), 'kept');
  t.equal(verdict(either, tcp, connection('b')), 'kept');
  t.equal(verdict(either, { ...tcp, kind: 'probe' }, connection('b').filter(({ kind }) => kind !== 'received')), 'kept');
  t.equal(verdict(either, udp, exchange('c')), 'c got it from 10.10.1.2');
  t.equal(verdict(either, udp, exchange('a', '10.10.1.1')), 'a got it from 10.10.1.1');
  t.equal(verdict(either, udp, []), 'nobody got it');
  t.equal(verdict(either, udp, [...exchange('a'), received('b', '10.10.1.2')]), 'a, b got it: 2 arrived of 1');
  t.equal(verdict(either, udp, exchange('a').slice(0, 1)), 'p got 0 answers from 10.96.0.10');
  t.equal(verdict(either, udp, [...exchange('a').slice(0, 1), received('p', '10.10.1.3')]), 'p got it from 10.10.1.3', 'the endpoint shows itself');
  t.equal(verdict(either, tcp, connection('a').slice(0, -1)), 'of 1 connections 1 ends were closed');
  t.equal(verdict(either, tcp, connection('a').slice(1)), 'p has 0 connections to 10.96.0.10');
  t.equal(verdict(either, tcp, connection('a', '10.10.1.9')), 'a got it from 10.10.1.9');
  for (const kind of ['refused', 'reset', 'timed-out'] as const) t.match(verdict(either, tcp, [...connection('a'), { timeUs: 2, host: 'p', kind, peer: ip }]), /^p got /);
  t.match(verdict(either, tcp, [...connection('a'), { timeUs: 2, host: 'p', kind: 'unreachable', peer: ip, why: 'port unreachable' }]), /out of reach/);
});

void t.test('a pod that gets itself', async (t) => {
  const self: Intent = { ...either, answerers: [{ to: 'p', sources: ['169.254.169.252'] }] };
  t.equal(verdict(self, udp, exchange('p', '169.254.169.252')), 'kept');
  t.equal(verdict(self, udp, exchange('p', '10.10.1.2')), 'p got it from 10.10.1.2');
  t.equal(verdict(self, tcp, connection('p', '169.254.169.252')), 'kept');
});

void t.test('what may be lost', async (t) => {
  const open: Intent = { ...either, lost: 'a policy' };
  t.equal(verdict(open, udp, []), 'kept');
  t.equal(verdict(open, tcp, [{ timeUs: 1, host: 'p', kind: 'timed-out', peer: ip }]), 'kept');
  t.equal(verdict(open, udp, exchange('a')), 'kept');
  t.equal(verdict(open, udp, exchange('a').slice(1)), 'an answer to what nobody got');
  t.equal(verdict(open, udp, exchange('c')), 'c got it from 10.10.1.2');
});

void t.test('several', async (t) => {
  const [same, all]: readonly Intent[] = [{ ...either, spread: 'the same' }, { ...either, spread: 'every one' }];
  const [aa, ab] = [[...exchange('a'), ...exchange('a')], [...exchange('a'), ...exchange('b')]];
  t.same([either, same, all].map((intent) => intent && verdict(intent, calls(2), aa)), ['kept', 'kept', 'of 2 none got to b']);
  t.same([either, same, all].map((intent) => intent && verdict(intent, calls(2), ab)), ['kept', 'a, b in turn', 'kept']);
  t.equal(verdict(either, calls(3), ab), 'a, b got it: 2 arrived of 3');
  t.equal(verdict(either, calls(2, 'TCP'), [...connection('a'), ...connection('b')]), 'kept');
  t.equal(verdict(either, calls(2, 'TCP'), connection('a')), 'a got it: 1 arrived of 2');
});

void t.test('who is to be told that nobody is there', async (t) => {
  const rejected: Intent = { kind: 'rejected', why: 'nobody is there' };
  const told: HostNote = { timeUs: 1, host: 'p', kind: 'unreachable', peer: ip, why: 'port unreachable' };
  t.equal(verdict(rejected, tcp, [told]), 'kept');
  t.equal(verdict(rejected, tcp, []), 'it was told nothing');
  t.equal(verdict(rejected, tcp, [{ ...told, host: 'q' }]), 'it was told nothing');
  t.equal(verdict(rejected, tcp, [{ ...told, peer: '10.96.0.11' }]), 'it was told nothing');
  t.match(verdict(rejected, udp, [told, ...exchange('a')]), /^a got a UDP datagram/);
});

void t.test('SCTP: the message arrives, once', async (t) => {
  const sctp: Stimulus = { kind: 'sctp', from: 'p', to: ip, port: 7070 };
  const association = connection('a').filter(({ kind }) => kind !== 'received');
  t.equal(verdict(either, sctp, [...association, { timeUs: 1, host: 'a', kind: 'received', what: 'sctp', src: '10.10.1.2', dst: '10.10.1.3', ttl: 63 }]), 'kept');
  t.equal(verdict(either, sctp, association), 'of 1 messages 0 arrived');
});
