/** What changes under connections, and what has to be true of them. */
import { unknownName } from '../base/errors/errors.js';
import { antrea } from '../control/antrea/index.js';
import { ovnKubernetes } from '../control/ovn-kubernetes/index.js';
import type { ClusterPlan } from '../domain/plan/cluster-plan.js';
import {
  clientIp,
  cluster,
  denyAll,
  farIp,
  port,
  serviceIp,
  serviceOf,
} from './manifests-of-changes.js';
import { ovnKubernetesClusterOf } from '../../topologies/ovn-kubernetes/read-ovn-kubernetes-cluster.js';
import { readAntreaCluster } from '../../topologies/antrea/read-antrea-cluster.js';

export interface LiveChange {
  readonly name: string;
  readonly title: string;
  /** The cluster before it and after it. */
  readonly before: ClusterPlan;
  readonly after: ClusterPlan;
  /** A node whose ovs-vswitchd is killed, and starts again with an empty program. */
  readonly restarts?: string;
  /** What of that node ends; its switch alone where it is missing. */
  readonly ends?: 'its switch' | 'the whole node';
  readonly client: { readonly pod: string; readonly ip: string };
  /** What the client connects to; every pod of `servers` echoes at `port`. */
  readonly to: { readonly ip: string; readonly port: number };
  readonly servers: readonly string[];
  /** Where the connection ends that lives through the change. */
  readonly server: string;
  /** Segments that carry what rounds of the change say, or none. */
  readonly mayLose: 'nothing' | 'while it is changed';
  /** What one meets that is opened after the change: an end, or nobody that answers. */
  readonly newOne: { readonly at: string } | 'no answer';
}

const version = '1.3';

const policyComes = change('antrea/policy-comes', {
  title: 'A policy that lets nobody in comes: it decides over new connections alone',
  manifests: { after: [denyAll] },
  to: farIp,
  server: 'far',
  newOne: 'no answer',
});

const endpointLeaves = change('antrea/endpoint-leaves', {
  title: 'A Service has another endpoint: its connections stay where they are',
  manifests: { before: [serviceOf('far')], after: [serviceOf('near')] },
  to: serviceIp,
  server: 'far',
  newOne: { at: 'near' },
});

const switchRestarts = change('antrea/switch-restarts', {
  title: "A node's ovs-vswitchd is killed and starts again: what was on its way is sent again",
  manifests: {},
  restarts: 'n2',
  to: farIp,
  server: 'far',
  mayLose: 'while it is changed',
  newOne: { at: 'far' },
});

const nodeRestarts = change('antrea/node-restarts', {
  title: 'A node restarts whole, with its container; hosts at its ports run on',
  manifests: {},
  restarts: 'n2',
  ends: 'the whole node',
  to: farIp,
  server: 'far',
  mayLose: 'while it is changed',
  newOne: { at: 'far' },
});

const ofOvn = ovnKubernetes().plan(
  ovnKubernetesClusterOf(
    [{ file: 'cluster.yaml', text: cluster.join('\n---\n') }],
    { name: 'ovn-kubernetes/node-restarts' },
    'one',
  ),
);
const chassisRestarts: LiveChange = {
  ...nodeRestarts,
  name: 'ovn-kubernetes/node-restarts',
  title: 'A chassis of OVN restarts whole, and ovn-controller with it',
  before: ofOvn,
  after: ofOvn,
};

export const liveChanges: readonly LiveChange[] = [
  policyComes,
  endpointLeaves,
  switchRestarts,
  nodeRestarts,
  chassisRestarts,
];

/** @throws InputError for an unknown one. */
export function liveChangeNamed(name: string): LiveChange {
  const found = liveChanges.find((one) => one.name === name);
  if (found === undefined)
    throw unknownName(
      'change',
      name,
      liveChanges.map((one) => one.name),
    );
  return found;
}

interface ChangeDescription {
  readonly title: string;
  readonly manifests: {
    readonly before?: readonly (() => string)[];
    readonly after?: readonly (() => string)[];
  };
  readonly to: string;
  readonly server: string;
  readonly restarts?: string;
  readonly ends?: NonNullable<LiveChange['ends']>;
  readonly mayLose?: LiveChange['mayLose'];
  readonly newOne: LiveChange['newOne'];
}

function change(
  name: string,
  { manifests, to, mayLose = 'nothing', ...others }: ChangeDescription,
): LiveChange {
  const clusterOf = (more: readonly (() => string)[] = []) =>
    readAntreaCluster(
      [{ file: 'cluster.yaml', text: [...cluster, ...more.map((one) => one())].join('\n---\n') }],
      { name, tunnel: 'geneve' },
    );
  const before = antrea(version).plan(clusterOf(manifests.before));
  return {
    name,
    ...others,
    before,
    after: antrea(version).plan(clusterOf(manifests.after), before),
    client: { pod: 'client', ip: clientIp },
    to: { ip: to, port },
    servers: ['near', 'far'],
    mayLose,
  };
}
