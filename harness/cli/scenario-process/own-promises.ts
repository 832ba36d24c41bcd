/**
 * What Flowbed itself promises. A scenario that hands it on as it is names it, and its functions
 * run where the verdict is made: they are none of the scenario's code.
 */
import { antreaPromises } from '../../intent/antrea/promises.js';
import { contrailPromises } from '../../intent/contrail/promises.js';
import { intentOf } from '../../intent/intent.js';
import { ovnPromises } from '../../intent/ovn/promises.js';
import { ovnAnswersIntent } from '../../intent/ovn/answers.js';
import { ovnCniIntentOf, ovnCniPromises } from '../../intent/ovn-cni/promises.js';
import { ovnKubernetesPromises } from '../../intent/ovn-kubernetes/promises.js';

const own: Readonly<Record<string, unknown>> = {
  intentOf,
  ovnAnswersIntent,
  ovnCniIntentOf,
  antreaPromises,
  contrailPromises,
  ovnPromises,
  ovnCniPromises,
  ovnKubernetesPromises,
};

/** The name of what is Flowbed's own; undefined for everything else. */
export function ownName(value: unknown): string | undefined {
  return Object.keys(own).find((name) => own[name] === value);
}

/** What is called so; undefined for a name that nothing has. */
export function ownNamed(name: string): unknown {
  return Object.hasOwn(own, name) ? own[name] : undefined;
}
