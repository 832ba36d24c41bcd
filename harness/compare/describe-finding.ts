/** What each checker found, as findings: one sentence, what was expected, and what was observed. */
import type { Finding } from '../domain/verdict.js';
import { describeCounterDifference, type CounterDifference } from './compare-counters.js';
import type { FrameDifference } from './compare-frames.js';
import type { PacketInDifference } from './compare-packet-ins.js';
import { describeProgramDifference, type ProgramDifference } from './compare-program.js';
import type { StateDifference } from './compare-state.js';
import { describeUnmatched } from './unmatched.js';

const between = 'model and switch';

/** @param when as ` at 100 µs`, where frames have a time. */
export function frameFinding(difference: FrameDifference, when = ''): Finding {
  const { kind, direction, port, node, fields, onSilentPort, expected, actual } = difference;
  const place = `${direction === 'out' ? 'out of' : 'into'} ${port} on ${node}${when}`;
  const summaries = {
    missing: `a frame is missing ${place}`,
    unexpected: `an unexpected frame went ${place}`,
    different: `a frame ${place} differs in ${fields.join(', ')}`,
  };
  return {
    aspect: onSilentPort ? 'silence' : 'frames',
    between,
    summary: summaries[kind],
    expected,
    actual,
  };
}

export function packetInFinding(difference: PacketInDifference): Finding {
  const { kind, bridge, controller, fields, expected, actual } = difference;
  const place = `of ${bridge} for controllers with id ${controller}`;
  const summaries = {
    missing: `a packet-in ${place} is missing`,
    unexpected: `an unexpected packet-in ${place}`,
    different: `a packet-in ${place} differs in ${fields.join(', ')}`,
  };
  return { aspect: 'packet-ins', between, summary: summaries[kind], expected, actual };
}

export function counterFinding(difference: CounterDifference): Finding {
  return { aspect: 'counters', between, ...describeCounterDifference(difference) };
}

/** A flow that one side alone has. */
export function unmatchedFinding(difference: CounterDifference): Finding {
  return { aspect: 'program', between, ...describeUnmatched(difference) };
}

export function stateFinding(difference: StateDifference): Finding {
  const { aspect, kind, about, fields, expected, actual } = difference;
  const thing = aspect === 'connections' ? 'connection' : 'learned MAC';
  const summaries = {
    missing: `missing ${thing}: ${about}`,
    unexpected: `unexpected ${thing}: ${about}`,
    different: `${thing} differs in ${fields.join(', ')}: ${about}`,
  };
  return { aspect, between, summary: summaries[kind], expected, actual };
}

export function programFinding(difference: ProgramDifference): Finding {
  const { what, expected, actual } = describeProgramDifference(difference);
  const { bridge, node } = difference.of;
  return { aspect: 'program', between, summary: `${bridge} on ${node}: ${what}`, expected, actual };
}
