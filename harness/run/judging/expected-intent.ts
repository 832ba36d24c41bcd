import { expectedIntent } from '../../domain/known-contradiction.js';
import type { Intent } from '../../domain/intent.js';
import type { Scenario } from '../../domain/scenario.js';
import type { Topology } from '../../domain/topology.js';
import type { Pass, Stimulus } from '../../domain/test-vector.js';

export interface IntentContext {
  readonly scenario: Pick<Scenario, 'intent' | 'controlPlane'>;
  readonly topology: Topology;
  /** Of the programs that switch, where they run: with `linux` the kernel's datapath is asked. */
  readonly versions?: Readonly<Record<string, string>>;
}

/**
 * What is held against model and switches: what was promised, but for what the scenario's control
 * plane is known to diverge. @throws as the scenario's `intent` does.
 */
export function intentExpectedIn(
  { scenario, topology, versions = {} }: IntentContext,
  stimulus: Stimulus,
): Intent {
  const expected = expectedIntent(
    scenario.controlPlane.known ?? [],
    scenario.intent(topology, stimulus, scenario.controlPlane.promises),
  );
  return versions['linux'] === undefined
    ? withInstead(expected, 'instead')
    : asLinuxTracks(withInstead(expected, 'insteadOnLinux'), stimulus);
}

/** A contradiction with what happens instead where connections are tracked, and nothing else. */
function withInstead(intent: Intent, where: 'instead' | 'insteadOnLinux'): Intent {
  if (intent.kind !== 'contradicted') return intent;
  const { insteadOnLinux: _, ...others } = intent;
  return { ...others, instead: intent[where] ?? intent.instead };
}

/** The same for a pass of a vector: switches remember what the passes before have taught them. */
export function intentOfPass(context: IntentContext, { name, stimulus }: Pass): Intent {
  const intent = intentExpectedIn(context, stimulus);
  if (intent.kind !== 'contradicted' || intent.pass === undefined || name === intent.pass)
    return intent;
  const { promise, instead, by } = intent;
  return { kind: 'either', outcomes: [promise, instead], why: `${by}, once it is remembered` };
}

/**
 * Open vSwitch asks Linux's tracker to be liberal (net/openvswitch/conntrack.c,
 * nf_ct_set_tcp_be_liberal): what is outside of the windows of a connection is valid there, and a
 * control plane that drops what is invalid does not drop it. What is invalid there has no mark
 * (ovs_ct_update_key): a control plane that lets marked connections through lets it not.
 */
function asLinuxTracks(intent: Intent, stimulus: Stimulus): Intent {
  if (
    intent.kind !== 'round-trip' ||
    stimulus.kind !== 'tcp' ||
    intent.interjection === undefined ||
    intent.interjection.kind === 'open'
  )
    return intent;
  switch (stimulus.interjection?.segment) {
    case 'out-of-window': {
      const why = "the kernel's tracker takes what is outside of the window for valid";
      return { ...intent, interjection: { kind: 'arrives', why } };
    }
    case 'syn-fin': {
      const why = "it is invalid, and the kernel's tracker leaves it without the connection's mark";
      return { ...intent, interjection: { kind: 'dropped', why } };
    }
    default:
      return intent;
  }
}
