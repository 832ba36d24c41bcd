/**
 * Puts what traffic is made and read with into the cache: iperf3 and tcpdump of Debian's packages,
 * and k6, compiled by Go. Nothing is installed. Names what cannot be had, and then exits with 3.
 *
 *     node dist/images/setup/install-tools.js
 */
import { $, echo, which } from 'zx';
import { buildK6, k6Program } from '../k6.js';
import { openTool, toolNames } from '../measuring-tools.js';

// 1. By mmdebstrap, into a root folder of their own: each is started by its own loader.
for (const name of toolNames) {
  const { command, version } = await openTool(name, echo);
  await $`${command} --version`.quiet();
  echo(`${name} ${version}: ${command.join(' ')}`);
}

// 2. k6 is in no registry of packages, but its source is in Go's: three minutes of processor time.
const there = await k6Program();
if (there === undefined && (await which('go', { nothrow: true })) === null) {
  echo('k6: there is no Go on PATH to compile it with (apt-get install golang-go, 1.25 or newer)');
  process.exitCode = 3;
} else {
  const k6 = there ?? (await buildK6(echo));
  echo(`${(await $`${k6} version`.quiet()).stdout.trim()}: ${k6}`);
}
