/**
 * Goal: dumps of several bridges in one paste never become one bridge. Method: pastes with command
 * lines, with the headings of mininet, with replies alone, and with other commands between.
 */
import t from 'tap';
import { complaint } from '../../base/errors/errors.js';
import { ofOneBridge, pastedBridges, type DumpKind } from './sections.js';

const one = ['NXST_FLOW reply (xid=0x4):', ' cookie=0x0, duration=1s, in_port=1 actions=output:2'];
const other = ['NXST_FLOW reply (xid=0x4):', ' cookie=0x0, duration=1s, in_port=1 actions=drop'];
const paste = (lines: readonly string[]) => ({ file: 'paste', text: lines.join('\n') });
const read = (lines: readonly string[], bridge?: string, kind: DumpKind = 'flows') =>
  ofOneBridge(paste(lines), kind, bridge);
const kept = (lines: readonly string[], bridge?: string, kind: DumpKind = 'flows') =>
  read(lines, bridge, kind)
    .source.text.split('\n')
    .filter((line) => line !== '');

void t.test('by command lines', (t) => {
  for (const command of [
    'op@sw:~$ sudo ovs-ofctl dump-flows ',
    '# ovs-ofctl -O OpenFlow13 --names dump-flows ',
    'ovs-appctl bridge/dump-flows ',
    'kubectl exec ds/ovs -- ovs-ofctl dump-flows unix:/run/openvswitch/',
  ]) {
    const end = command.endsWith('/') ? '.mgmt' : '';
    const both = [`${command}s1${end}`, ...one, '', `${command}s2${end} table=0`, ...other];
    t.strictSame(pastedBridges(paste(both), 'flows'), ['s1', 's2'], command);
    t.strictSame(kept(both, 's1').slice(1), one);
    t.strictSame(kept(both, 's2').slice(1), other);
    t.match(read(both, 's1').notes, [/lines left out: .* of other bridges than s1/]);
    t.match(
      complaint(() => read(both)),
      /^paste: this is of several bridges, s1 and s2: say which by --bridge/,
    );
    t.match(
      complaint(() => read(both, 's3')),
      /several bridges, s1 and s2, and not of s3/,
    );
  }
  t.match(
    complaint(() => read(['ovs-ofctl dump-flows s1', ...one], 'br0')),
    /a command prints of s1; expected that of br0/,
  );
  t.end();
});

void t.test('by headings, and by commands that add flows', (t) => {
  const dashes = '-'.repeat(70);
  const mininet = [`*** s1 ${dashes}`, ...one, `*** s2 ${dashes}`, ...other];
  t.strictSame(kept(mininet, 's2').slice(1), other);
  const added = ['ovs-ofctl add-flow s1 actions=1', 'ovs-ofctl add-flow s2 actions=2'];
  t.strictSame(kept(added, 's2'), [added[1]]);
  t.match(
    complaint(() => read(added)),
    /several bridges, s1 and s2/,
  );
  t.end();
});

void t.test('replies alone', (t) => {
  t.match(
    complaint(() => read([...one, ...other])),
    /^paste:3: a second dump begins here, after that of line 1/,
  );
  const parts = [`${one[0] ?? ''} flags=[more]`, ...one.slice(1), ...other];
  t.strictSame(kept(parts), parts, 'parts of one reply');
  t.end();
});

void t.test('other commands, and other dumps', (t) => {
  const show = [
    '$ ovs-ofctl show s1',
    'OFPT_FEATURES_REPLY (xid=0x2): dpid:1',
    ' LOCAL(s1): addr:00:00:00:00:00:01',
    '     config:     0',
  ];
  const session = [
    '$ ovs-vsctl show',
    '    Port: p1',
    ...show,
    '$ ovs-ofctl dump-flows s1',
    ...one,
  ];
  t.strictSame(kept(session, 's1').slice(1), one);
  t.strictSame(kept(session, 's1', 'ports'), show);
  const two = [...show.slice(1), ...show.slice(1).map((line) => line.replace('s1', 's2'))];
  t.strictSame(kept(two, 's2', 'ports')[1], ' LOCAL(s2): addr:00:00:00:00:00:01');
  t.match(
    complaint(() => read(two, undefined, 'ports')),
    /several bridges, s1 and s2/,
  );
  t.end();
});
