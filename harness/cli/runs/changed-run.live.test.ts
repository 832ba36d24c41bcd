// Goal: `replay` and `explain` of a run whose folder was changed say so, exit code 2, and bring
// nothing up: never is it 'the same again', and never our own bug. Method: the compiled program on
// a real run of one scenario, whole, and with its folder changed by hand in one way after the
// other.
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { flowbedIn } from '../flowbed-process.js';

const elsewhere = t.testdir({});
const flowbed = (...args: readonly string[]) => flowbedIn(elsewhere, args);

/** Replaces the first of `from` in a file of the folder. */
const replacing = (name: string, from: RegExp, to: string) => async (folder: string) => {
  await writeFile(
    join(folder, name),
    (await readFile(join(folder, name), 'utf8')).replace(from, to),
  );
};

const changes: Readonly<
  Record<string, { readonly change: (folder: string) => Promise<void>; readonly message: RegExp }>
> = {
  'no manifest': {
    change: (folder) => rm(join(folder, 'manifest.json')),
    message: /manifest\.json: it is missing/,
  },
  'no record': {
    change: (folder) => rm(join(folder, 'record.json')),
    message: /record\.json: it is missing/,
  },
  'no log': {
    change: (folder) => rm(join(folder, 'logs'), { recursive: true }),
    message: /ovs-vswitchd\.log: it is missing/,
  },
  'scenarios: []': {
    change: async (folder) => {
      for (const name of ['report.json', 'record.json']) {
        const document = JSON.parse(await readFile(join(folder, name), 'utf8')) as object;
        await writeFile(join(folder, name), JSON.stringify({ ...document, scenarios: [] }));
      }
    },
    message: /report\.json: scenarios: there are none/,
  },
  'another trace hash': {
    change: replacing('report.json', /"traceHash":"[0-9a-f]{4}/, '"traceHash":"0000'),
    message: /report\.json: traceHash: expected/,
  },
  'a manifest that contradicts': {
    change: replacing('manifest.json', /"verdict":"conforms"/, '"verdict":"diverges"'),
    message: /manifest\.json: verdict: expected "conforms", got "diverges"/,
  },
  'another byte of a frame': {
    change: replacing('record.json', /"frame":"[0-9a-f]{2}/, '"frame":"01'),
    message: /record\.json: it is not what the run wrote/,
  },
};

void t.test('a folder that was changed', { timeout: 120_000 }, async (t) => {
  const ran = await flowbed('run', 'antrea/encap', '--passes', 'cold');
  t.equal(ran.code, 0, ran.stderr);
  const [, name = ''] = /^ {2}folder +(\S+)$/m.exec(ran.stdout) ?? [];
  const whole = fileURLToPath(new URL(`../../../../${name}`, import.meta.url));
  t.teardown(() => rm(whole, { recursive: true }));
  t.match(await flowbed('replay', whole, 'ping/p1/p4'), {
    code: 0,
    stdout: /1 of 1 vectors are the same again/,
  });
  t.match(await flowbed('explain', whole, 'ping/p1/p4'), { code: 0 });
  for (const [how, { change, message }] of Object.entries(changes)) {
    const folder = join(elsewhere, 'changed');
    await cp(whole, folder, { recursive: true });
    await change(folder);
    for (const command of ['replay', 'explain']) {
      const { stderr, ...ended } = await flowbed(command, folder, 'ping/p1/p4');
      t.match(ended, { code: 2, stdout: '' }, `${command}: ${how}`);
      t.match(stderr, message);
      t.match(stderr, /^flowbed: .*the folder of this run was changed/);
      t.notMatch(stderr, /\n +at /, 'no stack');
    }
    await rm(folder, { recursive: true });
  }
});
