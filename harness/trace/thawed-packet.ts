/**
 * A packet that the datapath has sent through translation again (`recirc_id`): the number means
 * nothing without the switch that gave it, but the flows say where such packets can go on.
 */
import { InputError } from '../base/errors/errors.js';
import type { BridgePlan } from '../domain/plan/bridge-plan.js';
import type { DumpedSwitch } from '../dumps/dumped-switch.js';
import type { Action, CtAction } from '../openflow/actions/action.js';
import { parseBridgeFlows } from '../openflow/bridge-program.js';
import type { Match } from '../openflow/match/match.js';

/** What FLOW says of it. */
interface ThawedPacket {
  readonly recircId: bigint;
  /** Of `ct_zone`; undefined where FLOW does not say. */
  readonly zone: number | undefined;
  /** Of `table`, which is no field: where there are several places. */
  readonly table: number | undefined;
}

export interface ThawedAt {
  readonly table: number;
  readonly note: string;
}

/** @throws InputError where no flow sends a packet there, or several do to different tables. */
function thawedAt(
  { recircId, zone, table }: ThawedPacket,
  bridge: BridgePlan,
  { plan }: DumpedSwitch,
): ThawedAt {
  const found = new Map<number, CtAction>();
  for (const { actions } of parseBridgeFlows(plan.node, bridge))
    for (const ct of actions.flatMap(trackedIn))
      if (ct.table !== undefined && isInZone(ct, zone)) found.set(ct.table, ct);
  const tables = [...found.keys()].sort((a, b) => a - b);
  const chosen = table ?? (tables.length === 1 ? tables[0] : undefined);
  const id = `recirc_id=0x${recircId.toString(16)}`;
  const where = zone === undefined ? '' : ` in zone ${zone}`;
  if (tables.length === 0)
    throw new InputError(
      `FLOW: ${id}: no flow of ${bridge.name} has packets go on behind ct(table=…)${where}`,
    );
  if (chosen === undefined || !found.has(chosen))
    throw new InputError(
      `FLOW: ${id} is a place in a running switch; by the flows of ${bridge.name} it may be ` +
        `table=${tables.join(' or table=')}${where}: say which in FLOW`,
    );
  return {
    table: chosen,
    note:
      `${id}: the packet continues in table ${chosen} of ${bridge.name}, behind ` +
      `ct(table=${chosen})${where}; what registers had is not known, and 0 unless FLOW says it`,
  };
}

function trackedIn(action: Action): readonly CtAction[] {
  if (action.kind === 'ct') return [action];
  return action.kind === 'clone' ? action.actions.flatMap(trackedIn) : [];
}

/** A zone out of a field may be any. */
function isInZone({ zone }: CtAction, wanted: number | undefined): boolean {
  return wanted === undefined || typeof zone !== 'number' || zone === wanted;
}

/** `table=N` beside `recirc_id`, and the rest with everything else in its column. */
export function withoutTable(text: string): readonly [rest: string, table: number | undefined] {
  const found = /(^|[,\s])table=(\d{1,3})(?=$|[,\s])/.exec(text);
  if (found === null || !/(^|[,\s])recirc_id=/.test(text)) return [text, undefined];
  const rest =
    text.slice(0, found.index) +
    ' '.repeat(found[0].length) +
    text.slice(found.index + found[0].length);
  return [rest, Number(found[2])];
}

export function thawedPlace(
  match: Match,
  table: number | undefined,
  bridge: BridgePlan,
  target: DumpedSwitch,
): { readonly thawed?: ThawedAt } {
  const valueOf = (name: string) => match.find(({ field }) => field.name === name)?.value;
  const recircId = valueOf('recirc_id') ?? 0n;
  if (recircId === 0n) return {};
  const zone = valueOf('ct_zone');
  const asked = { recircId, zone: zone === undefined ? undefined : Number(zone), table };
  return { thawed: thawedAt(asked, bridge, target) };
}
