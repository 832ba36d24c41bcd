// Goal: with `internalTrafficPolicy: Local` who is on the asker's node answers, and nobody else.
// Method: the Services of topologies/antrea/internal-traffic; every promise against a table.
import t from 'tap';
import { internalTrafficCluster } from '../../../../topologies/antrea/internal-traffic.js';
import { antreaIntent } from '../../antrea/antrea-intent.js';

const cluster = internalTrafficCluster('geneve');

void t.test('who answers, and whom it sees', async (t) => {
  const table: readonly (readonly [from: string, to: string, expected: string])[] = [
    ['asker1', '10.96.0.10', 'web1<10.10.1.2'],
    ['asker2', '10.96.0.10', 'web2<10.10.2.2 web3<10.10.2.2'],
    ['asker3', '10.96.0.10', 'denied'],
    ['n1', '10.96.0.10', 'web1<10.10.1.1'],
    ['n3', '10.96.0.10', 'denied'],
    ['asker3', '10.96.0.11', 'denied'],
    // By another address it is no internal traffic.
    ['x1', '192.0.2.10', 'web1<10.10.1.1 web2<10.10.1.1 web3<10.10.1.1'],
  ];
  for (const [from, to, expected] of table) t.equal(said(from, to), expected, `${from} to ${to}`);
});

function said(from: string, to: string): string {
  const intent = antreaIntent(cluster, { kind: 'tcp', from, to, port: 80 });
  if (intent.kind !== 'balanced') return intent.kind;
  return intent.answerers.map(({ to: name, sources }) => `${name}<${sources.join('|')}`).join(' ');
}
