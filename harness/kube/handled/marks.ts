/**
 * Annotations and labels that networks read: keys are anybody's, so that no schema lists them. What
 * is of a network's own domain and stands in no line is noted by name.
 */
import { noted, nothing, playedBy, type Everywhere } from './handling.js';

export interface Mark {
  readonly where: 'annotations' | 'labels';
  readonly key: RegExp;
  /** The kind that it means something at; any where it is missing. */
  readonly of?: string;
  /** The value that matters; any where it is missing. */
  readonly value?: string;
  readonly handling: Everywhere;
}

const secondNetwork = noted('second networks of a pod are not asked: only its first one is');
const ofItsOwn = nothing('a network has written it about what it has done');

/** The first that matches counts. */
export const marks: readonly Mark[] = [
  {
    where: 'annotations',
    key: /^net\.alpha\.kubernetes\.io\/network-isolation$/,
    of: 'Namespace',
    handling: playedBy(['ovn-cni'], nothing('it is the word of ovn_cni alone')),
  },
  { where: 'annotations', key: /^k8s\.v1\.cni\.cncf\.io\/networks$/, handling: secondNetwork },
  {
    where: 'annotations',
    key: /^v1\.multus-cni\.io\/default-network$/,
    handling: noted('another first network of a pod is not played: it has that of the cluster'),
  },
  { where: 'annotations', key: /^k8s\.v1\.cni\.cncf\.io\/networks?-status$/, handling: ofItsOwn },
  {
    where: 'annotations',
    key: /^kubernetes\.io\/(in|e)gress-bandwidth$/,
    handling: noted('no rate is kept here'),
  },
  {
    where: 'annotations',
    key: /^service\.kubernetes\.io\/topology-(mode|aware-hints)$/,
    handling: noted('which of the endpoints are preferred is not asked: any counts as right'),
  },
  {
    where: 'labels',
    key: /^service\.kubernetes\.io\/service-proxy-name$/,
    of: 'Service',
    handling: noted('another proxy serves it than the one that is played here'),
  },
  {
    where: 'labels',
    key: /^kubernetes\.io\/os$/,
    of: 'Node',
    value: 'windows',
    handling: noted('nodes of manifests are played as nodes of Linux'),
  },
  {
    where: 'annotations',
    key: /^(k8s\.ovn\.org|node\.antrea\.io)\//,
    of: 'Node',
    handling: ofItsOwn,
  },
  {
    where: 'annotations',
    key: /^k8s\.ovn\.org\/(pod-networks|ovn-udn.*|acl-logging|pod-mac)$/,
    handling: ofItsOwn,
  },
  {
    where: 'labels',
    key: /^k8s\.ovn\.org\/primary-user-defined-network$/,
    of: 'Namespace',
    handling: noted('a primary network of its own is not played: its pods are on the first one'),
  },
  {
    where: 'annotations',
    key: /(^|\.)(cni\.cncf\.io|multus-cni\.io|ovn\.org|antrea\.io|antrea\.tanzu\.vmware\.com|cilium\.io|projectcalico\.org|ovn\.kubernetes\.io)\//,
    handling: noted('it is of a network, and is not read here'),
  },
];
