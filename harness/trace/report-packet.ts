/** A trace with its packets as ovs-ofctl prints them: what reports are made of. */
import { ctStateBits, fieldCalled } from '../openflow/match/fields.js';
import { printFlagsAssigned } from '../openflow/match/flags.js';
import { AmbiguousOutcome } from '../model/ambiguity.js';
import { word, type FlowKey } from '../packet/flow-key/flow-key.js';
import type { TraceResult } from './trace-packets.js';
import type { TraceNode } from './trace-tree.js';
import type { WhyNot } from './why-not.js';

export interface ReportedTranslation {
  readonly bridge: string;
  /** Why the packet was thawed; of the first, that it came in. */
  readonly taken: string;
  readonly flow: string;
  readonly nodes: readonly TraceNode[];
  /** Missing where the model gave up before. */
  readonly finalFlow?: string;
}

export interface ReportedPacket
  extends Pick<
    TraceResult,
    'path' | 'outputs' | 'packetIns' | 'finalFlow' | 'state' | 'reasons' | 'kernel'
  > {
  readonly translations: readonly ReportedTranslation[];
  /** What the model does not know: the packet is followed up to there. */
  readonly refused?: string;
  readonly whyNot?: WhyNot;
}

export function reportPacket(result: TraceResult, whyNot?: WhyNot): ReportedPacket {
  const { path, outputs, packetIns, finalFlow, state, reasons, kernel, refused } = result;
  const translations = result.translations.map(
    ({ bridge, start, startFlow, endFlow, nodes }, index) => ({
      bridge,
      nodes,
      flow: startFlow,
      taken: index === 0 ? 'the packet comes in' : recirculationReason(start),
      ...(endFlow === undefined ? {} : { finalFlow: endFlow }),
    }),
  );
  return {
    path,
    outputs,
    packetIns,
    finalFlow,
    state,
    reasons,
    kernel,
    translations,
    ...(refused === undefined
      ? {}
      : {
          refused:
            refused instanceof AmbiguousOutcome
              ? `${refused.message}; ` +
                (refused.ambiguity.kind === 'flow'
                  ? 'OpenFlow does not specify which of them a switch takes: '
                  : '') +
                'check ' +
                'asks one'
              : refused.message,
        }),
    ...(whyNot === undefined ? {} : { whyNot }),
  };
}

function recirculationReason(key: FlowKey): string {
  const state = key[word.ctState] ?? 0;
  if ((state & ctStateBits.trk) === 0) return 'recirculation: the packet is parsed again';
  return (
    'recirculation: the connection tracker says ' +
    `${printFlagsAssigned(fieldCalled('ct_state'), BigInt(state))} in zone ` +
    (key[word.ctZone] ?? 0)
  );
}
