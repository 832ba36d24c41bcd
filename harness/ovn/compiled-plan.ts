/** A plan after OVN has compiled it. */
import type { ClusterPlan } from '../domain/plan/cluster-plan.js';
import { asPlugged, uncompiledPlan, withDumpedBridges } from '../domain/plan/uncompiled-plan.js';
import type { CompiledChassis } from './apply-to-zone.js';

/** The plan with what OVN has compiled. */
export function compiledPlan(plan: ClusterPlan, compiled: readonly CompiledChassis[]): ClusterPlan {
  return withDumpedBridges(uncompiledPlan(plan), ({ node }, bridge) => {
    const found = compiled.find((one) => one.node === node && one.bridge === bridge.name);
    return found === undefined
      ? bridge
      : {
          ...bridge,
          ports: [...bridge.ports.map(asPlugged), ...found.tunnels],
          ...found.program,
        };
  });
}
