/**
 * ovn_cni: a CNI plugin for containers on OVN's logical switches. Run by a container runtime it
 * takes its command from the environment and the network configuration from stdin; `init` and
 * `--help` are for people.
 */
import { text } from 'node:stream/consumers';
import { withDeadline } from '../../base/concurrency/deadline.js';
import { InputError, Unavailable } from '../../base/errors/errors.js';
import { add } from './add.js';
import { withCall } from './call.js';
import { check } from './check.js';
import { CniError, codes } from './cni-error.js';
import { del } from './del.js';
import { commandOf, requestOf, type Command } from './environment.js';
import { gc } from './gc.js';
import { runInit } from './init-command.js';
import { readNetworkConfig, versionOfRequest } from './network-config.js';
import { errorResult, resultOf, versionResult } from './results.js';
import { status } from './status.js';
import { checkCommand } from './versions.js';

/** A runtime does not wait longer either (kubelet gives a pod's sandbox two minutes). */
const limitMs = 60_000;

async function main(args: readonly string[]): Promise<number> {
  if (args.length > 0) return await runInit(args);
  let stdin = '';
  try {
    const command = commandOf(process.env);
    stdin = await text(process.stdin);
    const answer = await withDeadline(answerTo(command, stdin), limitMs, `${command} to be done`);
    if (answer !== undefined) process.stdout.write(`${JSON.stringify(answer)}\n`);
    return 0;
  } catch (error) {
    const failure = asCniError(error);
    process.stdout.write(`${JSON.stringify(errorResult(versionOfRequest(stdin), failure))}\n`);
    return 1;
  }
}

async function answerTo(command: Command, stdin: string): Promise<object | undefined> {
  if (command === 'VERSION') return versionResult(versionOfRequest(stdin));
  const config = readNetworkConfig(stdin);
  checkCommand(command, config.cniVersion);
  return await withCall(config, async (call) => {
    switch (command) {
      case 'ADD':
        return resultOf(await add(call, requestOf('ADD', process.env)), config.cniVersion);
      case 'DEL':
        return void (await del(call, requestOf('DEL', process.env).attachment));
      case 'CHECK':
        return void (await check(call, requestOf('CHECK', process.env)));
      case 'GC':
        return void (await gc(call));
      case 'STATUS':
        return void (await status(call));
    }
  });
}

function asCniError(error: unknown): CniError {
  if (error instanceof CniError) return error;
  if (error instanceof Unavailable)
    return new CniError(codes.tryAgainLater, error.message, error.evidence.join('\n'));
  if (error instanceof InputError) return new CniError(codes.failed, error.message);
  return new CniError(codes.failed, error instanceof Error ? error.message : String(error));
}

void main(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
