/** Actions that send packets to the connection tracker (ovs-actions(7), "ct"). */
import { Unsupported } from '../../../base/errors/errors.js';
import { printActions, type CtAction } from '../../../openflow/actions/actions.js';
import { fieldCalled, type Field } from '../../../openflow/match/fields.js';
import { clearWords, copyKey, word } from '../../../packet/flow-key/flow-key.js';
import type { CtRequest } from '../../conntrack/tracked.js';
import { hasField } from '../../fields/has-field.js';
import { readField, readSubfield, writeField, writeSubfield } from '../../fields/field-values.js';
import { checkRead } from '../../fields/supported-fields.js';
import type { Packet } from '../../packet/packet.js';
import { reparsed } from '../../packet/commit-packet.js';
import { freeze } from '../freeze.js';
import { executeCtClear, executeCt, ctWriteSteps } from '../datapath/execute-ct.js';
import type { Marks, TrackRequest } from '../datapath/track-request.js';
import type { XlateContext } from '../xlate-context.js';
import { commitChanges, avoidCaching, putOdpAction } from '../odp-actions.js';
import { stepFlow } from '../trace-steps.js';

/**
 * The packet's changes go into its bytes; then it is untracked again: connection fields are for the
 * packet that continues in `table`.
 */
export function xlateCt(ctx: XlateContext, ct: CtAction): void {
  if (typeof ct.zone !== 'number') checkRead(ct.zone.field);
  const zone =
    typeof ct.zone === 'number' ? ct.zone : Number(readSubfield(ctx.packet.key, ct.zone));
  const nat = ct.exec.findLast((action) => action.kind === 'nat');
  const ctRequest: CtRequest = {
    zone,
    commits: ct.force ? 'by force' : ct.commit ? 'new connections' : 'nothing',
    ...(nat === undefined ? {} : { nat }),
    ...(ct.alg === undefined ? {} : { helper: ct.alg }),
  };
  const { packet } = ctx;
  const marks = marksOf(packet, ct);
  commitChanges(ctx);
  const reparsedPacket = reparsed(packet);
  const { flow } = stepFlow(ctx);
  const request: TrackRequest = {
    ctRequest,
    marks,
    flow,
    writeSteps: ctWriteSteps(flow),
    ...(ct.table === undefined ? {} : { frozen: freeze(ctx, ct.table) }),
  };
  if (ct.table !== undefined) ctx.frozenActions = [];
  if (packet.isEncapsulated)
    avoidCaching(ctx, 'outer headers of a tunnel, tracked as the inner packet');
  ctx.isIrreversible = true;
  const event = ctx.megaflow && {
    kind: 'track' as const,
    key: copyKey(reparsedPacket.key),
    metadata: ctx.megaflow.metadata,
    request,
  };
  putOdpAction(ctx, event, (behind) => executeCt(ctx, request, reparsedPacket, behind));
  untrack(packet);
}

const unmarked: Marks = { mark: { value: 0n, mask: 0n }, label: { value: 0n, mask: 0n } };

/** What exec() asks for, of the packet as it is before the tracker sees it. */
function marksOf({ key }: Packet, { exec }: CtAction): Marks {
  if (exec.length === 0) return unmarked;
  const written = copyKey(key);
  const masks = new Map<string, bigint>();
  const note = (field: Field, mask: bigint) =>
    masks.set(field.name, (masks.get(field.name) ?? 0n) | mask);
  for (const action of exec) {
    if (action.kind === 'set') {
      writeField(written, action.field, action.value, action.mask ?? action.field.ones);
      note(action.field, action.mask ?? action.field.ones);
    } else if (action.kind === 'move') {
      const { source, destination } = action;
      checkRead(source.field);
      if (!hasField(written, source.field)) continue;
      writeSubfield(written, destination, readSubfield(written, source));
      note(
        destination.field,
        ((1n << BigInt(destination.bits)) - 1n) << BigInt(destination.offset),
      );
    } else if (action.kind !== 'nat')
      throw new Unsupported(`the model does not execute ${printActions([action])}`);
  }
  const asked = (name: string) => ({
    value: readField(written, fieldCalled(name)) & (masks.get(name) ?? 0n),
    mask: masks.get(name) ?? 0n,
  });
  return { mark: asked('ct_mark'), label: asked('ct_label') };
}

/**
 * The packet is one that the tracker has not seen: to the datapath as well, where the translation
 * knew that it had.
 */
export function xlateCtClear(ctx: XlateContext): void {
  if (ctx.packet.key[word.ctState] !== 0)
    putOdpAction(ctx, { kind: 'forget' }, () => {
      executeCtClear(ctx);
    });
  untrack(ctx.packet);
}

function untrack({ key }: Packet): void {
  clearWords(key, word.ctState, word.pktMark);
}
