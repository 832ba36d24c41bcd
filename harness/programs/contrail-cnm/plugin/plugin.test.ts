// Goal: Docker's calls make a container's network whole at HNS, controller and agent, or leave
// nothing; what is wrong is refused in words that lead on. Method: an engine's calls are played to
// the plugin, over a socket, with the services around it; then the four places are compared.
import t from 'tap';
import { deploy, type Deployment } from '../testkit/deployment.js';
import type { PlayedEndpoint } from '../testkit/network-body.js';
import type { Played } from '../testkit/played-engine.js';

const front = { tenant: 'blue', network: 'front', cidr: '10.1.1.0/24' };

async function using(
  work: (deployment: Deployment) => Promise<void>,
  hypervisors = 1,
): Promise<void> {
  const deployment = await deploy(hypervisors);
  try {
    await work(deployment);
  } finally {
    await deployment.close();
  }
}

function done<T>(played: Played<T>): T {
  if (played.kind === 'refused') throw new Error(played.why);
  return played.value;
}

void t.test('a network and a container come and go', async (t) => {
  await using(async ({ hypervisors, controller, problems }) => {
    const [h1] = hypervisors;
    if (h1 === undefined) throw new Error('there is a hypervisor');
    const network = done(await h1.engine.createNetwork(front));
    t.match(h1.hns.host().subnets, [
      { name: /^Contrail:blue:front:[-0-9a-f]{36}$/, subnet: '10.1.1.0/24', gateway: '10.1.1.1' },
    ]);
    const up: PlayedEndpoint = done(await h1.engine.run(network));
    t.match(up, { ip: '10.1.1.2', gateway: '10.1.1.1', mac: /^02:/ });
    t.strictSame(await problems(), []);
    t.match(h1.agent().ports(), [{ 'ip-address': '10.1.1.2', 'system-name': /^Container NIC / }]);
    t.ok(h1.flows().some((flow) => flow.includes('nw_src=10.1.1.2')));
    t.equal(controller.routes().length, 1);
    await h1.engine.remove(up);
    t.strictSame(await problems(), []);
    t.equal(controller.routes().length, 0);
    t.notOk(h1.flows().some((flow) => flow.includes('10.1.1.2')));
    await h1.engine.removeNetwork(network);
    t.strictSame([await problems(), h1.hns.host().subnets], [[], []]);
  });
});

void t.test('what is not there is refused with what is, and leaves nothing', async (t) => {
  await using(async ({ hypervisors, controller, problems }) => {
    const [h1] = hypervisors;
    if (h1 === undefined) throw new Error('there is a hypervisor');
    const before = controller.database();
    const cases: readonly (readonly [Parameters<typeof h1.engine.createNetwork>[0], RegExp])[] = [
      [{ ...front, tenant: 'green' }, /no tenant called "green"; known are blue, red/],
      [
        { ...front, network: 'side' },
        /no network in tenant blue called "side"; known are front, back/,
      ],
      [
        { ...front, cidr: '10.9.0.0/24' },
        /no subnet 10\.9\.0\.0\/24 in blue:front; it has 10\.1\.1\.0/,
      ],
      [{ ...front, cidr: '10.1.3.0/24' }, /no subnet 10\.1\.3\.0\/24 in blue:front/],
      [
        { ...front, gateway: '10.1.1.9' },
        /the gateway of 10\.1\.1\.0\/24 is 10\.1\.1\.1 in Contrail/,
      ],
      [
        { ...front, ipamOptions: {} },
        /docker network create --driver contrail --ipam-driver contrail --opt tenant=TENANT --opt /,
      ],
      [
        { ...front, addressSpace: 'LocalDefault' },
        /Docker's own IPAM driver: docker network create --driver contrail --ipam-driver contrail/,
      ],
      [
        { ...front, tenant: 'green', ipamOptions: { tenant: 'blue', network: 'front' } },
        /no tenant called "green"/,
      ],
    ];
    for (const [options, why] of cases) {
      t.match(await h1.engine.createNetwork(options), { kind: 'refused', why });
      t.strictSame([await problems(), h1.hns.host().subnets ?? []], [[], []]);
    }
    t.equal(controller.database(), before, 'the controller is as it was');
  });
});

void t.test('one network on several hypervisors, one name in two tenants', async (t) => {
  await using(async ({ hypervisors, problems }) => {
    const [h1, h2] = hypervisors;
    if (h1 === undefined || h2 === undefined) throw new Error('there are two hypervisors');
    const [blue1, blue2, red1] = [
      done(await h1.engine.createNetwork(front)),
      done(await h2.engine.createNetwork(front)),
      done(await h1.engine.createNetwork({ ...front, tenant: 'red' })),
    ];
    t.match(await h1.engine.createNetwork(front), {
      kind: 'refused',
      why: /for that subnet already/,
    });
    const up = [
      done(await h1.engine.run(blue1)),
      done(await h2.engine.run(blue2)),
      done(await h1.engine.run(red1)),
    ];
    t.strictSame(
      up.map(({ ip }) => ip),
      ['10.1.1.2', '10.1.1.3', '10.1.1.2'],
      'a network gives an address once, two tenants may have the same',
    );
    t.strictSame(await problems(), []);
    t.ok(h1.flows().some((flow) => flow.includes('set_field:172.30.0.2->tun_dst')));
    t.match(await h1.engine.run(blue1, '10.1.1.3'), { kind: 'refused', why: /409.*in use/ });
    t.match(await h1.engine.run(blue1, '10.1.2.3'), { kind: 'refused', why: /not in 10\.1\.1/ });
    t.strictSame(await problems(), []);
  }, 2);
});

void t.test(
  'options of the two drivers that differ are found before a container is up',
  async (t) => {
    await using(async ({ hypervisors, problems }) => {
      const [h1] = hypervisors;
      if (h1 === undefined) throw new Error('there is a hypervisor');
      const crossed = { ...front, ipamOptions: { tenant: 'red', network: 'front' } };
      const network = done(await h1.engine.createNetwork(crossed));
      t.match(await h1.engine.run(network), {
        kind: 'refused',
        why: /do --ipam-opt and --opt of the Docker network name the same tenant and network/,
      });
      t.strictSame(await problems(), []);
    });
  },
);
