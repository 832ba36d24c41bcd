// Goal: what is generated is read by what it is for, and has every shard once. Method: the YAML is
// parsed and its shards are counted; GitHub's own parser of workflows and GitLab's JSON Schema read
// theirs, bash reads the script of Slurm, each with a fault planted as well; wrong requests are
// refused. ci.live.test.ts asks an API server.
import { execFileSync } from 'node:child_process';
import { register } from 'node:module';
import { Ajv } from 'ajv';
import t from 'tap';
import { parse } from 'yaml';
import { ci } from './ci.js';

// The parser imports JSON without saying so.
const hooks = `export const load = (url, context, next) =>
  next(url, url.endsWith('.json') ? { ...context, importAttributes: { type: 'json' } } : context);`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
// It has no types.
const gitlabSchema: string = 'gitlab-ci-local/src/schema/schema.js';
const { schema } = (await import(gitlabSchema)) as { readonly schema: object };
const { NoOperationTraceWriter, parseWorkflow } = await import('@actions/workflow-parser');

function generated(target: string, shards = '3', image?: string): string {
  const printed: string[] = [];
  ci({ print: (text) => void printed.push(text) }, target, {
    shards,
    ...(image === undefined ? {} : { image }),
  });
  return printed.join('\n');
}

void t.test('each target', (t) => {
  t.match(parse(generated('github')), {
    jobs: { run: { strategy: { matrix: { shard: [1, 2, 3] } } }, merge: { needs: 'run' } },
  });
  t.match(generated('github'), '--shard ${{ matrix.shard }}/3');
  t.match(parse(generated('gitlab')), { run: { parallel: 3 }, stages: ['run', 'merge'] });
  t.match(parse(generated('kubernetes')), {
    kind: 'Job',
    spec: {
      completionMode: 'Indexed',
      completions: 3,
      template: { spec: { containers: [{ image: 'flowbed' }] } },
    },
  });
  const script = generated('slurm');
  t.match(script, /^#SBATCH --array=1-3$/m);
  execFileSync('bash', ['-n'], { input: script });
  t.throws(() => execFileSync('bash', ['-n'], { input: `${script}\nif`, stdio: 'pipe' }));
  t.end();
});

void t.test("GitHub's parser of workflows", (t) => {
  const errorsIn = (content: string) =>
    parseWorkflow({ name: 'conformance.yml', content }, new NoOperationTraceWriter())
      .context.errors.getErrors()
      .map(({ message }) => message);
  t.same(errorsIn(generated('github')), []);
  t.match(errorsIn(generated('github').replace('fail-fast', 'fail-soon')), [/fail-soon/]);
  t.match(errorsIn(generated('github').replace('runs-on: ubuntu-latest\n', '\n')), [/runs-on/]);
  t.end();
});

void t.test("GitLab's JSON Schema", (t) => {
  const ajv = new Ajv({ strict: false, validateFormats: false });
  const validate = ajv.compile(schema);
  t.ok(validate(parse(generated('gitlab'))), ajv.errorsText(validate.errors));
  t.notOk(validate(parse(generated('gitlab').replace('parallel: 3', 'parallel: many'))));
  t.notOk(validate(parse(generated('gitlab').replace('script:', 'scripts:'))));
  t.end();
});

void t.test('wrong requests', (t) => {
  t.throws(() => generated('jenkins'), /unknown target "jenkins"/);
  t.throws(() => generated('github', '0'), /--shards: expected a number/);
  t.throws(() => generated('github', '3', 'a b'), /--image: expected the name/);
  t.end();
});
