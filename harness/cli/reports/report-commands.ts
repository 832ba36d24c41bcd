/** `flowbed report`, `flowbed ci`: reports of conformance, and files for several machines. */
import type { Command } from 'commander';
import type { CiOptions } from './ci.js';
import type { Context } from '../context.js';
import type { VerifyOptions } from './verify-report.js';

export function defineReports(
  program: Command,
  context: Context,
  finish: (code: number) => void,
): void {
  program
    .command('ci')
    .description('print a file that runs shards on several machines')
    .argument('<target>', 'github, gitlab, kubernetes or slurm')
    .option('--shards <number>', 'how many', '4')
    .option(
      '--image <name>',
      'a container image: with Node.js and git; of a Job that of images/container',
    )
    .action(async (target: string, options: CiOptions) =>
      finish((await import('./ci.js')).ci(context, target, options)),
    );
  const report = program.command('report').description('reports of conformance');
  report
    .command('conformance')
    .description('write the report of a run: YAML, Markdown and HTML')
    .argument('<run>', 'its number in runs/, or the path of its folder')
    .requiredOption('--out <folder>', 'where they are written')
    .option('--sign <key>', 'a private key of ssh-keygen or minisign, which signs the YAML')
    .action(async (run: string, options: { out: string; sign?: string }) =>
      finish(await (await import('./report.js')).reportConformance(context, run, options)),
    );
  report
    .command('diff')
    .description('what differs between two reports')
    .argument('<before>', 'a conformance.yaml')
    .argument('<now>', 'another one')
    .action(async (before: string, now: string) =>
      finish(await (await import('./report.js')).reportDiff(context, before, now)),
    );
  report
    .command('verify')
    .description('check the signature, and whether all that a report says is so again')
    .argument('<file>', 'a conformance.yaml')
    .option(
      '--sample <number>',
      'so many scenarios, drawn by the digest of the report; 1 with --signers, all without',
    )
    .option('--files <files>', 'files of your own scenarios, separated by commas')
    .option('--signers <file>', 'allowed signers of ssh-keygen(1), or a public key of minisign')
    .action(async (file: string, options: VerifyOptions) =>
      finish(await (await import('./verify-report.js')).reportVerify(context, file, options)),
    );
}
