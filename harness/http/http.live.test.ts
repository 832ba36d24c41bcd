/**
 * Goal: k6's requests are answered on each kind of path, and a wrong server and a silent one are
 * found. Method: network namespaces, where k6 is on PATH or has been built: a second on each path.
 */
import t from 'tap';
import { openImage } from '../../images/images.js';
import { k6Program, openK6 } from '../../images/k6.js';
import { createTeardown } from '../base/concurrency/teardown.js';
import { netnsUserspace } from '../testbeds/netns/netns-backend.js';
import { whatNamespacesLack } from '../testbeds/kernel/namespace.js';
import { openRealCluster } from '../throughput/cluster/real-cluster.js';
import { measuredPaths, measuredPlan } from '../throughput/measured-paths.js';
import { segmentMtu } from '../throughput/reference-paths.js';
import { runHttp, type HttpFault } from './run-http.js';

const k6 = await k6Program();
const noK6 = k6 === undefined ? 'there is no k6: ./flowbed image build k6' : undefined;
const skip = whatNamespacesLack() ?? noK6 ?? false;

void t.test('requests on each path', { skip }, async (t) => {
  const image = await openImage('trixie', (line) => t.comment(line));
  const places = await netnsUserspace.places?.(image);
  if (places === undefined || k6 === undefined) throw new Error('both are there');
  const teardown = createTeardown();
  t.teardown(() => teardown.run());
  const settings = { places, teardown, podMtu: segmentMtu };
  const cluster = await openRealCluster(measuredPlan('encap', 0), image, settings);
  const run = (name: string, connections: 'kept' | 'one a request', fault?: HttpFault) => {
    const path = measuredPaths.find((one) => one.name === name);
    if (path === undefined) throw new Error(`there is no path ${name}`);
    const planted = fault === undefined ? {} : { fault };
    return runHttp(cluster, path, connections, { k6, clients: 2, seconds: 1, ...planted });
  };
  for (const name of ['encap', 'cluster-ip', 'node-port']) {
    const { requests, differences } = await run(name, 'kept');
    t.ok(requests > 0, `${name}: ${requests} requests`);
    t.strictSame(differences, [], name);
  }
  t.strictSame((await run('cluster-ip', 'one a request')).differences, []);
  t.match((await run('encap', 'kept', 'other-server')).differences, [/"pod far answers"/]);
  t.match((await run('encap', 'one a request', 'silent')).differences[0], /requests failed/);
});

void t.test('what is missing is named', { skip: k6 === undefined ? false : 'k6 is there' }, (t) =>
  t.rejects(openK6(), { name: 'Unavailable', remedies: [/image build k6/, /PATH/] }),
);
