// Goal: a real API server takes the Indexed Job that `flowbed ci kubernetes` prints, with every
// field known to it, and refuses one that is wrong. Method: kube-apiserver on etcd, asked with
// dryRun=All and fieldValidation=Strict, as `kubectl create --dry-run=server` asks.
import t from 'tap';
import { parse } from 'yaml';
import { kubeApiserver } from '../../../images/kube-apiserver.js';
import { onPath } from '../../base/files/on-path.js';
import { openKubeApi } from '../../programs/ovn-watcher/testkit/kube-api.js';
import { ci } from './ci.js';

const program = await kubeApiserver();
const missing =
  program === undefined
    ? 'no kube-apiserver is built: ./flowbed image build kube-apiserver'
    : (await onPath('etcd')) === undefined && 'no etcd on PATH';

void t.test('an Indexed Job', { skip: missing }, async (t) => {
  const api = await openKubeApi(t.testdir(), program);
  t.teardown(api.close);
  const printed: string[] = [];
  ci({ print: (text) => void printed.push(text) }, 'kubernetes', { shards: '10' });
  const job = parse(printed.join('\n')) as { readonly spec: Readonly<Record<string, unknown>> };
  const path = '/apis/batch/v1/namespaces/default/jobs?dryRun=All&fieldValidation=Strict';
  const taken = await api.ask('POST', path, job);
  t.equal(taken.code, 201, JSON.stringify(taken.body));
  t.match(taken.body, { spec: { completionMode: 'Indexed', completions: 10, parallelism: 10 } });
  const unknown = { ...job, spec: { ...job.spec, completionsMode: 'Indexed' } };
  t.match(await api.ask('POST', path, unknown), {
    code: 400,
    body: { message: /completionsMode/ },
  });
  const wrong = { ...job, spec: { ...job.spec, completionMode: 'NonIndexed' } };
  t.match(await api.ask('POST', path, wrong), {
    code: 422,
    body: { message: /backoffLimitPerIndex/ },
  });
});
