// Goal: CNIAdd and CNIDel leave one endpoint a sandbox, whatever is asked, how often, at once, and
// wherever the agent dies; no address is held twice, nothing stays behind. Method: random schedules
// of the steps of several requests and of deaths, what must always hold checked after each step; at
// the end kubelet asks for what it wants, and the node must hold exactly that. Beside it, the same
// schedules with an order of steps that leaks must be found out.
import fc from 'fast-check';
import t from 'tap';
import {
  dnsOf,
  handle,
  onLiveAgent,
  reconcile,
  sandboxOf,
  stepsOf,
  type CniRequest,
  type CniStep,
} from './cni.js';
import { freshHost, type HostChange, type WindowsHost } from '../../windows/host.js';
import { initialize, afterProcessCrash, type NodeSpec } from './initialization.js';
import { reserve } from '../../windows/ipam.js';

const spec: NodeSpec = {
  internalIp: '172.30.0.1',
  podCidr: '10.10.1.0/29',
  serviceCidr: '10.96.0.0/12',
  bridge: 'br-int',
  gateway: 'antrea-gw0',
  virtualService: { ip: '169.254.0.253', mac: '0a:00:a9:fe:00:fd' },
};

function hostOf(change: HostChange): WindowsHost {
  if (change.kind === 'refused') throw new Error(change.why);
  return change.host;
}
const ready = hostOf(
  initialize(
    freshHost('n1', [
      {
        name: 'Ethernet0',
        kind: 'physical',
        mac: '0a:00:ac:1e:00:01',
        address: { ip: '172.30.0.1', prefixLength: 16 },
      },
    ]),
    spec,
  ),
);

const dns = { servers: ['10.96.0.10'], search: ['default.svc.cluster.local'] };
const request = (
  command: CniRequest['command'],
  sandbox: string,
  workload?: string,
): CniRequest => ({
  command,
  container: workload ?? sandbox,
  netns: workload === undefined ? 'none' : `container:${sandbox}`,
  pod: { endpoint: `ep-${sandbox}`, dns },
});

const sandboxes = ['s1', 's2', 's3'] as const;
const workloads = (sandbox: string) => [`${sandbox}-w1`, `${sandbox}-w2`];
const requests = (['ADD', 'DEL'] as const).flatMap((command) =>
  sandboxes.flatMap((sandbox) => [
    request(command, sandbox),
    ...workloads(sandbox).map((workload) => request(command, sandbox, workload)),
  ]),
);

void t.test('one pod, as kubelet asks', async (t) => {
  let host = ready;
  const ask = (asked: CniRequest) => {
    const change = handle(host, asked);
    if (change.kind === 'done') host = change.host;
    return change;
  };
  t.match(
    ask(request('ADD', 's1', 's1-w1')),
    { kind: 'refused', why: 'sandbox s1 has no endpoint to attach to s1-w1' },
    'a workload before its sandbox',
  );
  t.same(host, ready, 'and nothing has changed');
  for (const asked of [
    request('ADD', 's1'),
    request('ADD', 's1', 's1-w1'),
    request('ADD', 's1'),
    request('ADD', 's1', 's1-w2'),
    request('ADD', 's1', 's1-w1'),
  ])
    ask(asked);
  t.same(
    host.endpoints,
    [
      {
        name: 'ep-s1',
        ip: '10.10.1.2',
        mac: '02:15:0a:0a:01:02',
        sandbox: 's1',
        dns,
        containers: ['s1', 's1-w1', 's1-w2'],
      },
    ],
    'one endpoint, attached to all once',
  );
  t.same(
    ['s1', 's1-w1', 's1-w2', 'other'].map((container) => dnsOf(host, container)),
    [dns, dns, dns, undefined],
    'every container reads the DNS settings',
  );
  t.same(
    host.bridge?.ports.filter(({ kind }) => kind === 'pod'),
    [{ kind: 'pod', name: 'ep-s1' }],
    "an OVS port of the endpoint's name",
  );
  ask(request('DEL', 's1', 's1-w1'));
  t.equal(dnsOf(host, 's1-w1'), undefined);
  for (const asked of [request('DEL', 's1'), request('DEL', 's1'), request('DEL', 's1', 's1-w2')])
    t.equal(ask(asked).kind, 'done');
  t.same(
    { ...host, lastLeased: undefined },
    { ...ready, lastLeased: undefined },
    'nothing is left',
  );
  t.match(
    handle(afterProcessCrash(host), request('ADD', 's1')),
    { kind: 'refused', missed: 'OVS daemons' },
    'nobody is behind the pipe of an agent that died',
  );
});

void t.test('addresses go round, and end', async (t) => {
  let host = ready;
  const add = (sandbox: string, ip?: string) => {
    const asked = request('ADD', sandbox);
    const change = handle(host, ip === undefined ? asked : { ...asked, pod: { ...asked.pod, ip } });
    if (change.kind === 'done') host = change.host;
    return change.kind === 'done'
      ? change.host.leases.find((lease) => lease.sandbox === sandbox)?.ip
      : change.why;
  };
  t.same(
    ['a', 'b', 'c'].map((sandbox) => add(sandbox)),
    ['10.10.1.2', '10.10.1.3', '10.10.1.4'],
  );
  host = hostOf(handle(host, request('DEL', 'a')));
  t.same(
    ['d', 'e', 'f', 'g'].map((sandbox) => add(sandbox)),
    [
      '10.10.1.5',
      '10.10.1.6',
      '10.10.1.2',
      'no address is left in 10.10.1.0/29: sandboxes hold all 5',
    ],
    "in turn, and never the gateway's",
  );
  host = hostOf(handle(host, request('DEL', 'b')));
  t.equal(add('h', '10.10.1.4'), '10.10.1.4, which h asks for, is held by c');
  t.equal(add('h', '10.10.1.3'), '10.10.1.3');
});

void t.test('kinds of containers', async (t) => {
  t.same(sandboxOf({ container: 'c', netns: 'none' }), { type: 'sandbox', sandbox: 'c' });
  t.same(sandboxOf({ container: 'c', netns: 'container:s' }), { type: 'workload', sandbox: 's' });
  t.same(
    sandboxOf({ container: 'c', netns: '7a3f7b6e-0c6e-4a2b-8f3f-2f2f2f2f2f2f' }),
    { type: 'sandbox', sandbox: 'c' },
    'containerd names a namespace, and asks for sandboxes alone',
  );
});

/** What must hold whenever one looks; undefined where it does. */
function broken({ leases, endpoints, bridge }: WindowsHost): string | undefined {
  const twice = (what: string, values: readonly string[]) =>
    new Set(values).size === values.length ? undefined : `${what} twice: ${values.join(', ')}`;
  const ports = (bridge?.ports ?? []).filter(({ kind }) => kind === 'pod').map(({ name }) => name);
  return (
    twice(
      'a lease',
      leases.map(({ ip }) => ip),
    ) ??
    twice(
      'a sandbox leases',
      leases.map(({ sandbox }) => sandbox),
    ) ??
    twice(
      'an endpoint of',
      endpoints.map(({ sandbox }) => sandbox),
    ) ??
    twice(
      'an address',
      endpoints.map(({ ip }) => ip),
    ) ??
    endpoints
      .map(({ name, containers }) => twice(`${name} at`, containers))
      .find((line) => line !== undefined) ??
    twice('a port', ports) ??
    ports
      .filter((port) => !endpoints.some(({ name }) => name === port))
      .map((port) => `port ${port} has no endpoint`)[0] ??
    endpoints
      .filter(
        ({ ip, sandbox }) => !leases.some((lease) => lease.ip === ip && lease.sandbox === sandbox),
      )
      .map(({ name }) => `${name} has an address that it does not hold`)[0]
  );
}

type Event =
  | { readonly kind: 'ask'; readonly request: CniRequest }
  | { readonly kind: 'step'; readonly pick: number }
  | { readonly kind: 'die' };
const event: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .constantFrom(...requests)
      .map((asked): Event => ({ kind: 'ask', request: asked })),
  },
  { weight: 12, arbitrary: fc.nat({ max: 20 }).map((pick): Event => ({ kind: 'step', pick })) },
  { weight: 1, arbitrary: fc.constant<Event>({ kind: 'die' }) },
);
const wishes = fc.tuple(
  ...sandboxes.map((sandbox) =>
    fc.record({
      sandbox: fc.constant(sandbox),
      lives: fc.boolean(),
      workloads: fc.subarray(workloads(sandbox)),
    }),
  ),
);

/**
 * Plays a schedule and then what kubelet wants; the first thing that is wrong, undefined where
 * nothing is.
 */
function play(
  events: readonly Event[],
  wanted: readonly {
    readonly sandbox: string;
    readonly lives: boolean;
    readonly workloads: readonly string[];
  }[],
  stepsFor: (asked: CniRequest) => readonly CniStep[],
  recovery: 'by kubelet' | 'by the agent',
): string | undefined {
  let host = ready;
  let active: { readonly sandbox: string; readonly steps: readonly CniStep[] }[] = [];
  // Requests for one sandbox wait for each other; those for others do not.
  const advance = (pick: number) => {
    const runnable = active.filter(
      (one, index) => active.findIndex(({ sandbox }) => sandbox === one.sandbox) === index,
    );
    const chosen = runnable[pick % Math.max(1, runnable.length)];
    if (chosen === undefined) return undefined;
    const [step, ...rest] = chosen.steps;
    const change = step === undefined ? undefined : onLiveAgent(host, step);
    if (change?.kind === 'done') host = change.host;
    active = active.flatMap((one) =>
      one !== chosen
        ? [one]
        : change?.kind === 'refused' || rest.length === 0
          ? []
          : [{ ...one, steps: rest }],
    );
    return broken(host);
  };
  for (const event of events) {
    if (event.kind === 'ask')
      active.push({
        sandbox: sandboxOf(event.request).sandbox,
        steps: stepsFor(event.request),
      });
    else if (event.kind === 'die')
      [host, active] = [hostOf(initialize(afterProcessCrash(host), spec)), []];
    const wrong = event.kind === 'step' ? advance(event.pick) : undefined;
    if (wrong !== undefined) return wrong;
  }
  while (active.length > 0) {
    const wrong = advance(0);
    if (wrong !== undefined) return wrong;
  }
  const living = wanted.filter(({ lives }) => lives);
  if (recovery === 'by the agent')
    host = hostOf(reconcile(host, new Set(living.map(({ sandbox }) => sandbox))));
  for (const { sandbox, lives, workloads: containers } of wanted) {
    if (recovery === 'by the agent' && !lives) continue;
    const asks = lives
      ? [
          request('ADD', sandbox),
          ...containers.map((workload) => request('ADD', sandbox, workload)),
          ...workloads(sandbox)
            .filter((name) => !containers.includes(name))
            .map((workload) => request('DEL', sandbox, workload)),
        ]
      : [request('DEL', sandbox)];
    for (const asked of asks)
      for (const step of stepsFor(asked)) host = hostOf(onLiveAgent(host, step));
  }
  const held = host.endpoints
    .map(({ sandbox, containers }) => ({ sandbox, containers: [...containers].sort() }))
    .sort((a, b) => (a.sandbox < b.sandbox ? -1 : 1));
  const due = living.map(({ sandbox, workloads: containers }) => ({
    sandbox,
    containers: [sandbox, ...containers].sort(),
  }));
  const ports = (host.bridge?.ports ?? []).filter(({ kind }) => kind === 'pod').length;
  if (JSON.stringify(held) !== JSON.stringify(due))
    return `${JSON.stringify(held)}, and wanted was ${JSON.stringify(due)}`;
  return host.leases.length === due.length && ports === due.length
    ? broken(host)
    : `${host.leases.length} leases and ${ports} ports for ${due.length} pods`;
}

void t.test('whatever is asked in whatever order, and wherever the agent dies', async () => {
  fc.assert(
    fc.property(
      fc.array(event, { maxLength: 60 }),
      wishes,
      fc.constantFrom('by kubelet' as const, 'by the agent' as const),
      (events, wanted, recovery) => play(events, wanted, stepsOf, recovery) === undefined,
    ),
    { numRuns: 400 },
  );
});

void t.test(
  'a crash between any two steps of a request: asked again, it ends as if there had been none',
  async (t) => {
    let host = ready;
    for (const asked of [
      request('ADD', 's1'),
      request('ADD', 's1', 's1-w1'),
      request('DEL', 's1', 's1-w1'),
      request('DEL', 's1'),
    ]) {
      const [before, whole] = [host, hostOf(handle(host, asked))];
      stepsOf(asked).forEach((step, count) => {
        const cut = stepsOf(asked)
          .slice(0, count + 1)
          .reduce((now, { on }) => hostOf(on(now)), before);
        t.same(
          hostOf(handle(hostOf(initialize(afterProcessCrash(cut), spec)), asked)),
          whole,
          `${asked.command} ${asked.container}, after "${step.name}"`,
        );
      });
      host = whole;
    }
  },
);

void t.test('that test can fail', async (t) => {
  const found = (stepsFor: (asked: CniRequest) => readonly CniStep[]) =>
    fc.check(
      fc.property(
        fc.array(event, { maxLength: 60 }),
        wishes,
        (events, wanted) => play(events, wanted, stepsFor, 'by kubelet') === undefined,
      ),
      { numRuns: 400, seed: 1 },
    ).failed;
  const instead =
    (name: RegExp, on: (step: CniStep, asked: CniRequest) => CniStep['on']) =>
    (asked: CniRequest) =>
      stepsOf(asked).map((step) =>
        name.test(step.name) ? { ...step, on: on(step, asked) } : step,
      );
  t.notOk(found(stepsOf));
  t.ok(
    found((asked) => (asked.command === 'DEL' ? stepsOf(asked).toReversed() : stepsOf(asked))),
    'the address released before the endpoint goes',
  );
  t.ok(
    found((asked) => (asked.command === 'DEL' ? stepsOf(asked).slice(0, -1) : stepsOf(asked))),
    'the address never released',
  );
  t.ok(found(instead(/^attach/, attachTwice)), 'attached once more each time');
  t.ok(
    found((asked) =>
      asked.command === 'ADD'
        ? stepsOf({
            ...asked,
            netns: 'none',
            pod: { ...asked.pod, endpoint: `ep-${asked.container}` },
          })
        : stepsOf(asked),
    ),
    'an endpoint for every container',
  );
  t.ok(
    found(
      instead(
        /^create/,
        (step, { container }) =>
          (host) =>
            host.endpoints.some(({ sandbox }) => sandbox === container)
              ? { kind: 'refused', why: 'it is there' }
              : step.on(host),
      ),
    ),
    'an endpoint that is there already is an error',
  );
  t.ok(
    found(
      instead(/^reserve/, (step, { container }) => (host) => {
        const change = step.on(host);
        return change.kind === 'done' ? reserve(change.host, `${container} once more`) : change;
      }),
    ),
    'an address more each time',
  );
});

const attachTwice =
  (step: CniStep, { container }: CniRequest): CniStep['on'] =>
  (host) => {
    const change = step.on(host);
    if (change.kind === 'refused') return change;
    return {
      ...change,
      host: {
        ...change.host,
        endpoints: change.host.endpoints.map((endpoint) =>
          endpoint.containers.includes(container)
            ? { ...endpoint, containers: [...endpoint.containers, container] }
            : endpoint,
        ),
      },
    };
  };
