import { Unsupported } from '../../base/errors/errors.js';
import type { BridgePlan } from '../../domain/plan/bridge-plan.js';

/** @throws Unsupported where NORMAL goes by settings that the model does not know. */
export function refuseUnknownSettings({ name, unknownOfNormal = [] }: BridgePlan): void {
  if (unknownOfNormal.length > 0)
    throw new Unsupported(
      `NORMAL goes by ${unknownOfNormal.join(', ')} of ${name}, which the model does not know`,
    );
}
