/**
 * Flows that ovn-controller has from scratch alone, since it passes over a load balancer that comes
 * to a datapath of the chassis and was at none before: those by which a port meets itself behind it
 * (chk_lb_hairpin, ct_snat_to_vip). Mended in OVN 25.03.1 (OVN b1ff19e36, "Fix missing load
 * balancer hairpin flows").
 */
import type { BridgeProgram } from '../../compare/alike-texts.js';
import type { ProgramDifference } from '../../compare/compare-program.js';
import { plannedRows } from '../../ovn/northbound/row-names.js';
import type { NorthboundPlan } from '../../domain/plan/northbound-plan.js';

export const lateLoadBalancer =
  'step by step against from scratch: flows of a load balancer that comes to a chassis which it ' +
  'was not at (chk_lb_hairpin, ct_snat_to_vip), before OVN 25.03.1';

export interface Steps {
  /** Of ovn-controller: `25.03.0`. */
  readonly version: string;
  readonly rows: Readonly<Record<'before' | 'wanted', NorthboundPlan | undefined>>;
  /** What bridges held before the step, and behind it. */
  readonly programs: Readonly<Record<'before' | 'stepByStep', readonly BridgeProgram[]>>;
}

/**
 * Whether a flow is there from scratch alone and is one of a load balancer that OVN had before as
 * well, of which the bridge held nothing then, nor does now.
 */
export function isOfLateLoadBalancer(
  { of, expected, actual }: Pick<ProgramDifference, 'of' | 'expected' | 'actual'>,
  { version, rows, programs }: Steps,
): boolean {
  if (actual !== undefined || !('table' in of) || !isBefore(version, mended)) return false;
  const cookie = cookieIn(expected ?? '');
  const isHeld = (all: readonly BridgeProgram[]) =>
    all.some(
      ({ node, bridge, flows }) =>
        node === of.node && bridge === of.bridge && flows.some((flow) => cookieIn(flow) === cookie),
    );
  return (
    loadBalancers(rows.before).has(cookie) &&
    loadBalancers(rows.wanted).has(cookie) &&
    !isHeld(programs.before) &&
    !isHeld(programs.stepByStep)
  );
}

const mended = [25, 3, 1];

function isBefore(version: string, limit: readonly number[]): boolean {
  const [, ...parts] = (/^(\d+)\.(\d+)\.(\d+)/.exec(version) ?? []).map(Number);
  const at = limit.findIndex((part, index) => parts[index] !== part);
  return at !== -1 && (parts[at] ?? NaN) < (limit[at] ?? NaN);
}

/** Cookies of flows that come from them: the first digits of the UUID that a row has. */
function loadBalancers(plan: NorthboundPlan | undefined): ReadonlySet<string> {
  return new Set(
    (plan?.zones ?? []).flatMap(({ name, rows }) => {
      const own = rows.filter(({ table }) => table === 'Load_Balancer');
      return [...plannedRows(name, own).keys()].map((digits) => digits.replace(/^0+(?=.)/, ''));
    }),
  );
}

function cookieIn(flow: string): string {
  return /\bcookie=0x([0-9a-f]+)/.exec(flow)?.[1] ?? '';
}
