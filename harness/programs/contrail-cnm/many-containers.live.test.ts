// Goal: 200 containers made and removed in random order on three hypervisors leave nothing, and no
// address is given out twice; a controller that is slow, down or answers 409 costs the call alone.
// Method: the engines' calls are played, several under way at once; the four places are compared.
import t, { type Test } from 'tap';
import { deploy, type Deployment } from './testkit/deployment.js';
import { numbersFrom } from './testkit/numbers.js';
import type { PlayedEndpoint } from './testkit/network-body.js';
import type { Played, PlayedEngine } from './testkit/played-engine.js';

const front = { tenant: 'blue', network: 'front', cidr: '10.1.1.0/24' };

function done<T>(played: Played<T>): T {
  if (played.kind === 'refused') throw new Error(played.why);
  return played.value;
}

void t.test('200 containers on three hypervisors', { timeout: 500_000 }, async (t) => {
  const { hypervisors, controller, problems, close } = await deploy(3);
  try {
    const below = numbersFrom(7);
    const places: { readonly engine: PlayedEngine; readonly network: string }[] = [];
    for (const { engine } of hypervisors)
      for (const tenant of ['blue', 'red'])
        places.push({ engine, network: done(await engine.createNetwork({ ...front, tenant })) });
    const up: { readonly engine: PlayedEngine; readonly endpoint: PlayedEndpoint }[] = [];
    let made = 0;
    while (made < 200 || up.length > 0) {
      const batch: Promise<void>[] = [];
      for (let i = 0; i < 5; i++) {
        const place = places[below(places.length)];
        const isMade = made < 200 && (up.length < 5 || below(3) > 0);
        const gone = isMade ? undefined : up.splice(below(up.length), 1)[0];
        if (gone !== undefined) batch.push(gone.engine.remove(gone.endpoint));
        if (!isMade || place === undefined) continue;
        made += 1;
        batch.push(
          place.engine.run(place.network).then((played) => {
            up.push({ engine: place.engine, endpoint: done(played) });
          }),
        );
      }
      await Promise.all(batch);
      if (made % 50 === 0) t.strictSame(await problems(), [], `${made} made, ${up.length} up`);
    }
    t.equal(made, 200);
    t.strictSame(await problems(), []);
    const left = controller.database().resources.map(({ type }) => type);
    t.strictSame([...new Set(left)].sort(), ['project', 'virtual-network']);
    for (const { hns, agent, flows } of hypervisors) {
      t.strictSame([hns.host().endpoints, agent().ports(), agent().adapters()], [[], [], []]);
      t.notOk(flows().some((flow) => flow.includes('10.1.1.')));
    }
  } finally {
    await close();
  }
});

void t.test('a controller that answers 409, fails or is slow', async (t) => {
  let mode: 'well' | 'conflict' | 'broken' | 'slow' = 'well';
  const { hypervisors, controller, problems, close } = await deploy(1, {
    before: async ({ method, path }) => {
      if (mode === 'slow') for (let i = 0; i < 1000; i++) await new Promise(setImmediate);
      const isMade = method === 'POST' && path === '/virtual-machine-interfaces';
      if (mode === 'conflict' && isMade) return { status: 409, body: 'it already exists' };
      if (mode === 'broken' && method !== 'GET') return { status: 503, body: 'out of order' };
      return undefined;
    },
  });
  try {
    const [h1] = hypervisors;
    if (h1 === undefined) throw new Error('there is a hypervisor');
    const network = done(await h1.engine.createNetwork(front));
    mode = 'conflict';
    t.match(await h1.engine.run(network), { kind: 'refused', why: /with 409: it already exists/ });
    t.strictSame(await problems(), [], 'its virtual-machine and its address are gone');
    mode = 'slow';
    const up = done(await h1.engine.run(network));
    t.strictSame(await problems(), []);
    mode = 'broken';
    await h1.engine.remove(up);
    t.not((await problems()).length, 0, 'the controller has it still');
    mode = 'well';
    const next = done(await h1.engine.run(network));
    t.strictSame(await problems(), [], 'the next call finishes what the journal has');
    await h1.engine.remove(next);
    t.strictSame(await problems(), []);
    await theControllerIsDown(t, { hypervisors, controller, problems, close }, network);
  } finally {
    await close();
  }
});

async function theControllerIsDown(
  t: Test,
  { hypervisors: [h1], controller, problems }: Deployment,
  network: string,
): Promise<void> {
  if (h1 === undefined) throw new Error('there is a hypervisor');
  const up = done(await h1.engine.run(network));
  let comeBack = await controller.goAway();
  const why = /the Contrail controller at .* does not answer .*: nobody is there/;
  t.match(await h1.engine.run(network), { kind: 'refused', why });
  t.match(await h1.engine.createNetwork({ ...front, tenant: 'red' }), { kind: 'refused', why });
  await comeBack();
  t.strictSame(await problems(), [], 'what was refused has left nothing');
  comeBack = await controller.goAway();
  await h1.engine.remove(up);
  await comeBack();
  t.not((await problems()).length, 0, 'what was deleted is still there');
  const next = done(await h1.engine.run(network));
  t.strictSame(await problems(), [], 'the next call deletes it');
  await h1.engine.remove(next);
  t.strictSame(await problems(), []);
}
