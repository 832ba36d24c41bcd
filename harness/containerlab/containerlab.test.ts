// Goal: each command of containerlab is called with the arguments that it expects, its documents
// are read whole, and its failures are reported in its own words. Method: a stand-in program that
// prints what containerlab 0.79 printed, and notes how it was called; planted faults: another
// document, a box of text, a file that is not there, a program that hangs.
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { openContainerlab, quoted } from './containerlab.js';
import { failureOf } from './cli-failure.js';

const container = {
  lab_name: 'fb2',
  labPath: 'fb2.clab.yml',
  absLabPath: '/labs/fb2.clab.yml',
  name: 'clab-fb2-n1',
  container_id: '0123456789ab',
  image: 'flowbed:trixie',
  kind: 'linux',
  state: 'running',
  status: 'Up 2 seconds',
  ipv4_address: '172.31.250.2/24',
  ipv6_address: 'N/A',
};

/** A program in containerlab's place that runs `body`, a function of its arguments. */
async function standIn(t: Test, body: string) {
  const dir = t.testdir({ 'fb2.clab.yml': 'name: fb2\ntopology: {nodes: {n1: {kind: linux}}}\n' });
  const program = join(dir, 'containerlab');
  const calls = join(dir, 'calls');
  await writeFile(
    program,
    `#!${process.execPath}
import { appendFileSync } from 'node:fs';
const args = process.argv.slice(2);
appendFileSync(${JSON.stringify(calls)}, JSON.stringify(args) + '\\n');
${body}
`,
  );
  await chmod(program, 0o755);
  return {
    lab: join(dir, 'fb2.clab.yml'),
    open: (limitMs = 60_000) => openContainerlab({ program, limitMs }),
    calls: async () =>
      (await readFile(calls, 'utf8'))
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as string[]).join(' ')),
  };
}

const prints = (document: unknown) =>
  `console.error('12:00:01 INFO Parsing topology');
console.log(${JSON.stringify(JSON.stringify(document))})`;

void t.test('labs and containers', async (t) => {
  const { lab, open, calls } = await standIn(t, prints({ fb2: [container] }));
  t.same(await open().deploy(lab, { reconfigure: true, maxWorkers: 2 }), [container]);
  t.same(await open().inspect({ name: 'fb2' }), [container]);
  t.same(await open().inspectAll(), { fb2: [container] });
  await open().validate(lab);
  await open().stop({ file: lab }, ['n1', 'n2']);
  await open().start({ name: 'fb2' });
  await open().save({ name: 'fb2' }, 'saved');
  await open().destroy({ file: lab }, { cleanup: true });
  t.strictSame(await calls(), [
    `--runtime docker deploy --topo ${lab} --reconfigure --max-workers 2 --format json`,
    '--runtime docker inspect --all --format json',
    '--runtime docker inspect --all --format json',
    `--runtime docker validate --topo ${lab}`,
    `--runtime docker stop --topo ${lab} --node n1 --node n2`,
    '--runtime docker start --name fb2',
    '--runtime docker save --name fb2 --copy saved',
    `--runtime docker destroy --topo ${lab} --cleanup`,
  ]);
});

void t.test('no lab runs', async (t) => {
  const { open, lab } = await standIn(t, prints({}));
  t.strictSame(await open().inspect({ name: 'fb2' }), []);
  t.strictSame(await open().inspect({ file: lab }), []);
});

void t.test('interfaces', async (t) => {
  const eth1 = {
    name: 'eth1',
    alias: '',
    mac: 'aa:c1:ab:00:00:01',
    ifindex: 7,
    mtu: 1500,
    type: 'veth',
    state: 'up',
  };
  const document = [{ name: 'clab-fb2-n1', interfaces: [eth1] }];
  const { open } = await standIn(t, prints(document));
  t.same(await open().interfaces({ name: 'fb2' }), document);
});

void t.test('commands in nodes', async (t) => {
  const { open, calls } = await standIn(
    t,
    prints({
      'clab-fb2-n1': [
        { cmd: ['ip', '-j', 'a'], 'return-code': 0, stdout: [{ ifname: 'lo' }], stderr: '' },
        { cmd: ['false'], 'return-code': 1, stdout: '', stderr: 'no' },
      ],
    }),
  );
  const results = await open().exec({ name: 'fb2' }, ['sh', '-c', "echo 'a b'"], 'n1');
  t.same(
    results.map(({ container, exitCode, stdout }) => [container, exitCode, stdout]),
    [
      ['clab-fb2-n1', 0, [{ ifname: 'lo' }]],
      ['clab-fb2-n1', 1, ''],
    ],
    'what a command ends with is a result; a document that it prints is a document',
  );
  t.match((await calls())[0], /--label clab-node-name=n1 --cmd 'sh' '-c' 'echo '"'"'a b'"'"''/);
});

void t.test('words of a command stay words', (t) => {
  t.equal(quoted(['echo', "it's", '$HOME "x"']), `'echo' 'it'"'"'s' '$HOME "x"'`);
  t.end();
});

void t.test('events, until the reader has seen enough', async (t) => {
  const event = (action: string) => ({
    timestamp: '2026-08-25T11:02:56.123456000Z',
    type: 'container',
    action,
    actor_id: '0123456789ab',
    actor_name: 'clab-fb2-n1',
    attributes: { image: 'flowbed:trixie' },
  });
  const lines = [event('start'), event('die')].map((one) => JSON.stringify(one));
  const { open } = await standIn(
    t,
    `for (const line of ${JSON.stringify(lines)}) console.log(line); setInterval(() => {}, 1000);`,
  );
  const abort = new AbortController();
  const actions: string[] = [];
  for await (const { action } of open().events(abort.signal, { initialState: true })) {
    actions.push(action);
    if (action === 'die') abort.abort();
  }
  t.strictSame(actions, ['start', 'die']);
});

void t.test('what fails is reported in its words', async (t) => {
  const says = (text: string) => `console.error(${JSON.stringify(text)}); process.exit(1);`;
  const failure = async (
    body: string,
    work: (one: Awaited<ReturnType<typeof standIn>>) => unknown,
  ) => work(await standIn(t, body));
  await failure(says('Error response from daemon: no such image: nothing:1'), ({ open, lab }) =>
    t.rejects(open().deploy(lab), {
      name: 'Unavailable',
      message: 'containerlab deploy: Error response from daemon: no such image: nothing:1',
    }),
  );
  await failure(prints({ fb2: [{ ...container, state: 7 }] }), ({ open, lab }) =>
    t.rejects(open().deploy(lab), { message: /deploy is not understood: fb2\.0\.state: / }),
  );
  await failure(`console.log('no labs found')`, ({ open }) =>
    t.rejects(open().inspectAll(), { message: /inspect is not understood: it is no JSON/ }),
  );
  await failure('setInterval(() => {}, 1000);', ({ open, lab }) =>
    t.rejects(open(500).deploy(lab), { message: /it was killed after 0\.5 s/ }),
  );
  await failure(prints({}), async ({ open, calls }) => {
    await t.rejects(open().deploy('nothing.clab.yml'), {
      name: 'InputError',
      message: /^nothing\.clab\.yml does not exist; expected a topology file/,
    });
    await t.rejects(calls(), { code: 'ENOENT' }, 'containerlab was not called');
  });
  await failure(says('the runtime has no events'), async ({ open }) => {
    const read = async () => {
      for await (const _ of open().events(new AbortController().signal)) t.fail('no event');
    };
    await t.rejects(read(), { message: /events ended: the runtime has no events/ });
  });
  await t.rejects(openContainerlab({ program: '/nothing/containerlab' }).inspectAll(), {
    message: /is not installed/,
    remedies: [/containerlab\.dev\/install/],
  });
});

void t.test('the error behind the log', (t) => {
  const log =
    '12:00:01 INFO Containerlab started version=0.79.0\n12:00:01 WARN file=fb2.clab.yml\n';
  const box =
    '\n   \u001b[1mERROR\u001b[0m  \n\n  Failed to fetch http(s) resource:\n' +
    '  https://nofile.yml.\n\n';
  t.equal(failureOf(log + box), 'Failed to fetch http(s) resource: https://nofile.yml.');
  t.equal(failureOf(`${log}topology file defines no name\n`), 'topology file defines no name');
  t.equal(failureOf(`${log}${box}  Try --help for usage.\n`)?.endsWith('yml.'), true);
  t.equal(failureOf(log), undefined);
  t.end();
});
