// Goal: wherever the plugin ends, what the engine does next leaves no orphan at Docker, HNS,
// controller or agent, and works when it is asked once more. Method: the plugin is a process that
// ends by SIGKILL behind one step, by itself or while HNS or the agent is at work; the engine's
// calls go on as a real one's do.
import t from 'tap';
import { deploy, type Deployment, type Hypervisor } from '../testkit/deployment.js';
import { startPluginProcess, type PluginProcess } from '../testkit/plugin-process.js';
import type { Played } from '../testkit/played-engine.js';
import { creatingSteps, isPluginStep, removingSteps, type AnyStep } from '../testkit/steps.js';

const front = { tenant: 'blue', network: 'front', cidr: '10.1.1.0/24' };

async function crashing(
  step: AnyStep,
  work: (h1: Hypervisor, deployment: Deployment, died: () => boolean) => Promise<void>,
): Promise<void> {
  let plugin: PluginProcess | undefined;
  let deaths = 0;
  const end = async (what: string): Promise<void> => {
    if (what !== step || deaths > 0) return;
    deaths += 1;
    await plugin?.kill();
  };
  let starts = 0;
  const deployment = await deploy(1, {
    hnsDone: end,
    agentDone: end,
    startPlugin: async (place) => {
      starts += 1;
      const own = starts === 1 && isPluginStep(step) ? step : undefined;
      plugin = await startPluginProcess(place, own);
      return plugin;
    },
  });
  try {
    const [h1] = deployment.hypervisors;
    if (h1 === undefined) throw new Error('there is a hypervisor');
    await work(h1, deployment, () => starts === 2);
  } finally {
    await plugin?.close();
    await deployment.close();
  }
}

function done<T>(played: Played<T>): T {
  if (played.kind === 'refused') throw new Error(played.why);
  return played.value;
}

for (const step of creatingSteps)
  void t.test(`it ends in the creation of a container: ${step}`, async (t) => {
    await crashing(step, async ({ engine }, { problems }, died) => {
      const network = done(await engine.createNetwork(front));
      t.match(await engine.run(network), { kind: 'refused', why: /came without a body/ });
      t.ok(died(), 'it has died there, and was started again');
      t.strictSame(await problems(), [], 'nothing of it is left');
      const up = done(await engine.run(network));
      t.equal(up.ip, '10.1.1.2', 'the address of the one before is free again');
      t.strictSame(await problems(), [], 'the retry is whole');
      await engine.remove(up);
      t.strictSame(await problems(), []);
    });
  });

for (const step of removingSteps)
  void t.test(`it ends in the removal of a container: ${step}`, async (t) => {
    await crashing(step, async ({ engine }, { problems }, died) => {
      const network = done(await engine.createNetwork(front));
      const up = done(await engine.run(network));
      t.strictSame(await problems(), []);
      await engine.remove(up);
      t.ok(died());
      t.strictSame(await problems(), [], 'nothing is left, though nobody asked twice');
      t.equal(done(await engine.run(network)).ip, '10.1.1.2');
    });
  });

void t.test('it ends in the creation and in the removal of a network', async (t) => {
  await crashing('HNS network created', async ({ engine, hns }, { problems }, died) => {
    t.match(await engine.createNetwork(front), { kind: 'refused', why: /without a body/ });
    t.ok(died());
    t.strictSame([await problems(), hns.host().subnets], [[], []]);
    done(await engine.createNetwork(front));
    t.strictSame(await problems(), []);
  });
  await crashing('HNS network deleted', async ({ engine, hns }, { problems }, died) => {
    await engine.removeNetwork(done(await engine.createNetwork(front)));
    t.ok(died());
    t.strictSame([await problems(), hns.host().subnets], [[], []]);
  });
});
