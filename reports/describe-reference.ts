import type { RunReport } from '../harness/run/records/run-report.js';

/** `sim, image bookworm (ovs-vswitchd 3.1.0)` */
export function describeReference({
  backend,
  image,
  version,
}: NonNullable<RunReport['reference']>): string {
  return `${backend}, image ${image} (ovs-vswitchd ${version})`;
}
