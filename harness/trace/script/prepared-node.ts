/** The model's switch of dumps, with the state that it is given. */
import { applyCall } from '../../model/apply-call.js';
import { newest, type Version } from '../../model/behaviour.js';
import { buildNode } from '../../model/build-node.js';
import type { ModelNode } from '../../model/model-node.js';
import { receiveFrame } from '../../model/receive-frame.js';
import { stateOf } from '../../model/state-of-node.js';
import type { DumpedSwitch } from '../../dumps/dumped-switch.js';
import { checkInitialState, prepareSwitch } from './prepare-switch.js';
import type { InitialState } from './script.js';

/** @throws InputError with the line of a dump for what cannot be remembered. */
export function preparedNode(
  target: DumpedSwitch,
  initialState: InitialState,
  version: Version = newest,
): ModelNode {
  const { plan, calls } = prepareSwitch(target, initialState);
  const node = buildNode(plan, version);
  // Which of them counts is said in a note; the packet goes the same way.
  node.answers.equivalentFlows = 'first';
  for (const call of calls) {
    if (call.kind !== 'receive') applyCall(node, call);
    else for (const frame of call.frames) receiveFrame(node, call.port, frame);
  }
  checkInitialState(initialState, stateOf(node));
  return node;
}
