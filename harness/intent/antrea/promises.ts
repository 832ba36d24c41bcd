/** What Antrea promises beside Kubernetes: the seeds, and Antrea's own documentation. */
import type { AntreaNetwork } from '../../../topologies/antrea/antrea-topology.js';
import type { ControlPlanePromises } from '../../domain/promises.js';
import { intentOfArp } from './arp.js';
import { egressIntent } from './egress.js';
import { intentOfFrame } from './intent-of-frame.js';
import { intentOfInterjection } from './interjection.js';
import { pathBetween, routersBetween, sourceSeen } from './path.js';
import { sourcesAtEndpoint } from './sources-at-endpoint.js';
import { hostTraffic } from './windows/host-traffic.js';
import { withServicePath } from './windows/service-path.js';
import { intentOfWindowsPort } from './windows/windows-port.js';

export const antreaPromises: ControlPlanePromises<AntreaNetwork> = {
  sourceSeen,
  sourcesAtEndpoint,
  routersBetween,
  pathBetween,
  underlayPath: hostTraffic,
  arp: intentOfArp,
  frame: intentOfFrame,
  interjection: intentOfInterjection,
  egress: egressIntent,
  nodePort: intentOfWindowsPort,
  service: withServicePath,
};
