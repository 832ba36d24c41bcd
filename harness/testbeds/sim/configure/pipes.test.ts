// Goal: every named pipe of a Windows node has the transport that this platform has, and a Linux
// node has none. Method: the plan of a mixed cluster.
import t from 'tap';
import { transportsOf } from './pipes.js';

void t.test('named pipes', async (t) => {
  const bridges = [{ name: 'br-int', mac: '0a:00:00:00:00:01', ports: [], flows: [] }];
  const pipe = (use: 'OVSDB' | 'OpenFlow' | 'CNI') => ({ use, name: String.raw`\\.\pipe\x` });
  t.same(
    transportsOf({ bridges, pipes: [pipe('OVSDB'), pipe('OpenFlow'), pipe('CNI')] }, '/run/n1'),
    [
      { ...pipe('OVSDB'), address: 'unix:/run/n1/db.sock' },
      { ...pipe('OpenFlow'), address: 'unix:/run/n1/br-int.mgmt' },
      pipe('CNI'),
    ],
  );
  t.same(transportsOf({ bridges }, '/run/n1'), []);
});
