/** A real switch with the bridge that cases play on, and the model beside it. */
import { openModel } from '../testbeds/model/model.js';
import { openSim, type Sim, type SimOptions } from '../testbeds/sim/sim.js';
import type { Image } from '../ovs/image.js';
import { behaviourOf, newest, parseVersion } from '../model/behaviour.js';
import { planOf } from './case.js';
import { zones } from './generate/stateful.js';
import type { Sides } from './judge.js';

/** Both sides, with a switch that can be had anew once it has died. */
export interface OpenSides extends Sides {
  /** As the switch tells it. */
  readonly version: string;
  close(): Promise<void>;
}

/** @throws Unavailable naming what did not come up. */
export async function openSides(image: Image, options: SimOptions = {}): Promise<OpenSides> {
  // The flows go with the first case: from them it is known which zones there are to be asked for connections.
  const open = () => openSim({ nodes: [planOf({ groups: [], flows: zones.map((zone) => `table=253,ip actions=ct(zone=${zone})`), beyond: [] })] }, image, options);
  let sim: Sim = await open();
  const { versions } = sim;
  const version = versions['ovs-vswitchd'] ?? '';
  return {
    version,
    behaviour: behaviourOf(parseVersion(version) ?? newest),
    sim: () => sim,
    openModel: (plan) => openModel(plan, versions),
    restart: async () => {
      await sim.close();
      sim = await open();
    },
    close: () => sim.close(),
  };
}
