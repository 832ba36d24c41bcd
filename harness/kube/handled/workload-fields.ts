/** Namespaces, nodes and pods. */
import { each, noted, nothing, played, type FieldTable } from './handling.js';
import { metadataFields, namespacedFields } from './metadata-fields.js';

export const namespaceFields: FieldTable = {
  ...metadataFields,
  ...each(['spec', 'status'], nothing('they say whether it is being deleted, and of objects')),
};

export const nodeFields: FieldTable = {
  ...metadataFields,
  ...each(['spec.podCIDR', 'spec.podCIDRs'], played),
  ...each(
    ['spec.configSource', 'spec.externalID', 'spec.providerID'],
    nothing('they are for kubelet and for clouds'),
  ),
  ...each(
    ['spec.taints', 'spec.unschedulable'],
    nothing('pods say which node they are on already'),
  ),
  'status.addresses': played,
};

const ofProcesses = nothing('it is about processes and files in the container');
const ofScheduling = nothing('it is about which node a pod gets, and pods have theirs');
const ofNames = nothing('it is about names, and hosts here ask by address');

const containerFields = (list: string): FieldTable => ({
  ...each(
    [
      `${list}.name`,
      `${list}.ports.name`,
      `${list}.ports.containerPort`,
      `${list}.ports.protocol`,
      `${list}.restartPolicy`,
    ],
    played,
  ),
  ...each(
    [`${list}.ports.hostPort`, `${list}.ports.hostIP`],
    noted(
      'the plugin portmap gives a pod a port of its node, and no control plane here is that: ' +
        'nobody asks by it',
    ),
  ),
  ...each(
    [
      `${list}.args`,
      `${list}.command`,
      `${list}.env`,
      `${list}.envFrom`,
      `${list}.image`,
      `${list}.imagePullPolicy`,
      `${list}.resizePolicy`,
      `${list}.resources`,
      `${list}.securityContext`,
      `${list}.stdin`,
      `${list}.stdinOnce`,
      `${list}.terminationMessagePath`,
      `${list}.terminationMessagePolicy`,
      `${list}.tty`,
      `${list}.volumeDevices`,
      `${list}.volumeMounts`,
      `${list}.workingDir`,
    ],
    ofProcesses,
  ),
  ...each(
    [
      `${list}.lifecycle`,
      `${list}.livenessProbe`,
      `${list}.readinessProbe`,
      `${list}.startupProbe`,
    ],
    nothing('what kubelet has found by them is in the status'),
  ),
});

export const podFields: FieldTable = {
  ...namespacedFields,
  'metadata.deletionTimestamp': played,
  ...each(['spec.nodeName', 'spec.hostNetwork'], played),
  ...containerFields('spec.containers'),
  ...containerFields('spec.initContainers'),
  ...each(['status.podIP', 'status.podIPs', 'status.phase', 'status.conditions'], played),
  'spec.ephemeralContainers': nothing('they have no ports'),
  ...each(
    [
      'spec.dnsConfig',
      'spec.dnsPolicy',
      'spec.hostAliases',
      'spec.hostname',
      'spec.setHostnameAsFQDN',
      'spec.subdomain',
    ],
    ofNames,
  ),
  'spec.readinessGates': nothing('the condition Ready has them in it'),
  'spec.enableServiceLinks': ofProcesses,
  ...each(
    [
      'spec.activeDeadlineSeconds',
      'spec.automountServiceAccountToken',
      'spec.hostIPC',
      'spec.hostPID',
      'spec.hostUsers',
      'spec.imagePullSecrets',
      'spec.os',
      'spec.overhead',
      'spec.restartPolicy',
      'spec.runtimeClassName',
      'spec.securityContext',
      'spec.serviceAccount',
      'spec.serviceAccountName',
      'spec.shareProcessNamespace',
      'spec.terminationGracePeriodSeconds',
      'spec.volumes',
    ],
    ofProcesses,
  ),
  ...each(
    [
      'spec.affinity',
      'spec.nodeSelector',
      'spec.preemptionPolicy',
      'spec.priority',
      'spec.priorityClassName',
      'spec.resourceClaims',
      'spec.schedulerName',
      'spec.schedulingGates',
      'spec.tolerations',
      'spec.topologySpreadConstraints',
    ],
    ofScheduling,
  ),
};
