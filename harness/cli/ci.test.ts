// Goal: what is generated is read by what it is for, and has every shard once. Method: the YAML is
// parsed and its shards are counted; sh reads the script of Slurm; wrong requests are refused. No
// GitHub, GitLab, API server or Slurm is asked.
import { execFileSync } from 'node:child_process';
import t from 'tap';
import { parse } from 'yaml';
import { ci } from './ci.js';

function generated(target: string, shards = '3', image = 'node:20-bookworm'): string {
  const printed: string[] = [];
  ci({ print: (text) => void printed.push(text) }, target, { shards, image });
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
    spec: { completionMode: 'Indexed', completions: 3 },
  });
  const script = generated('slurm');
  t.match(script, /^#SBATCH --array=1-3$/m);
  execFileSync('sh', ['-n'], { input: script });
  t.throws(() => execFileSync('sh', ['-n'], { input: `${script}\nif`, stdio: 'pipe' }));
  t.end();
});

void t.test('wrong requests', (t) => {
  t.throws(() => generated('jenkins'), /unknown target "jenkins"/);
  t.throws(() => generated('github', '0'), /--shards: expected a number/);
  t.throws(() => generated('github', '3', 'a b'), /--image: expected the name/);
  t.end();
});
