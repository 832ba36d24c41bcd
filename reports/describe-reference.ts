import type { RunReport } from '../harness/run/run-report.js';

/** `sim, image bookworm (ovs-vswitchd 3.1.0)` */
export function describeReference({
  backend,
  image,
  version,
}: NonNullable<RunReport['reference']>): string {
  return `${backend}, image ${image} (ovs-vswitchd ${version})`;
}
