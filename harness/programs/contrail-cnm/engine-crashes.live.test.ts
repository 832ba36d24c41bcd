// Goal: wherever the plugin ends in a call of a real engine, the docker client is refused, nothing
// of the container is left at Docker, HNS, controller or agent, and a retry or a removal is whole.
// Method: the plugin ends by SIGKILL behind a step, by itself or while HNS or the agent is at work,
// and is started again. A few steps; STEPS=all tries each. ENGINE=bookworm has Docker 20.10.
import t from 'tap';
import { engineForTests, engines } from '../../../images/engines.js';
import { openImage } from '../../../images/images.js';
import {
  creatingSteps,
  isPluginStep,
  lastOf,
  removingSteps,
  type AnyStep,
} from './testkit/steps.js';
import { creating, inRealWorld, running } from './testkit/real-world.js';

const name = engines.find((one) => one.name === process.env['ENGINE'])?.name ?? 'trixie';
const engine = await engineForTests(name, (line) => t.comment(line));
const skip = 'missing' in engine ? engine.missing : false;
const few: readonly AnyStep[] = ['adapter seen', 'endpoint deleted'];
const isWhole = process.env['STEPS'] === 'all';
const isTried = (step: AnyStep) => isWhole || few.includes(step);
const timeout = isWhole ? 3_000_000 : 550_000;

const said = async (work: Promise<string>) => await work.catch((error: Error) => error.message);

void t.test('the plugin ends in calls of an engine', { skip, timeout }, async (t) => {
  if ('missing' in engine) return;
  const image = await openImage('trixie', () => undefined);
  /** What HNS and the agent do when they have done a step: end the plugin at one of them. */
  const ending = { at: (_: AnyStep): Promise<void> => Promise.resolve() };
  const done = (step: AnyStep) => ending.at(step);
  const at = () => ({ hnsDone: done, agentDone: done });
  const spec = { engine, image, hypervisors: 1, at };
  await inRealWorld(spec, async ({ hypervisors, problems }) => {
    const [h1] = hypervisors;
    if (h1 === undefined) throw new Error('there is a hypervisor');
    await h1.docker(...creating('blue', 'blue', 'front', '10.1.1.0/24'));
    /** The plugin ends there. @returns when another one serves. */
    const endAt = async (step: AnyStep): Promise<() => Promise<void>> => {
      await h1.restartPlugin(isPluginStep(step) ? step : undefined);
      if (isPluginStep(step)) {
        const again = h1.pluginEnded().then(() => h1.restartPlugin());
        return () => again;
      }
      const again = new Promise<void>((resolve, reject) => {
        let isDead = false;
        ending.at = async (what) => {
          if (what === step) await h1.killPlugin();
          isDead ||= what === step;
          // Who was asked does its work to the end: then the next plugin finds it.
          if (!isDead || what !== lastOf(step)) return;
          ending.at = () => Promise.resolve();
          h1.restartPlugin().then(resolve, reject);
        };
      });
      return () => again;
    };
    for (const step of creatingSteps.filter(isTried))
      await t.test(`made, then again: ${step}`, async (t) => {
        const again = await endAt(step);
        t.match(await said(h1.docker(...running('blue', 'cut'))), /came without a body/);
        await again();
        t.strictSame(await problems(), [], 'nothing of it is left');
        await h1.docker('start', 'cut');
        t.strictSame(await problems(), [], 'the retry is whole');
        await h1.docker('rm', '--force', 'cut');
        t.strictSame(await problems(), []);
      });
    for (const step of creatingSteps.filter(isTried))
      await t.test(`made, then removed: ${step}`, async (t) => {
        const again = await endAt(step);
        t.match(await said(h1.docker(...running('blue', 'cut'))), /came without a body/);
        await again();
        await h1.docker('rm', '--force', 'cut');
        t.strictSame(await problems(), []);
      });
    for (const step of removingSteps.filter(isTried))
      await t.test(`removed: ${step}`, async (t) => {
        await h1.docker(...running('blue', 'cut'));
        const again = await endAt(step);
        await h1.docker('rm', '--force', 'cut');
        await again();
        t.strictSame(await problems(), [], 'though nobody asks twice');
      });
  });
});
