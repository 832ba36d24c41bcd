/**
 * What a test starts in a guest: cases of a language of the fuzzer on its kernel, as they are
 * fuzzed there, and the same with a wire that loses the first frame of what comes out. Says what of
 * each differs, and what was looked up in the cache.
 */
import { openImage } from '../../../images/images.js';
import { judgeCase } from '../../fuzz/judge-case.js';
import { languageCalled } from '../../fuzz/languages.js';
import { openSides } from '../../fuzz/open-sides.js';
import { netns } from '../../testbeds/netns/netns-backend.js';
import { readFrozenCases } from '../fuzz/frozen-cases.js';

const [language = '', ...paths] = process.argv.slice(2);
const { without } = languageCalled(language);
const say = (line: string) => void process.stderr.write(`${line}\n`);
const image = await openImage('trixie', say);
const cases = (await Promise.all(paths.map(readFrozenCases))).flat();
for (const [name, lost] of [
  ['whole', 0],
  ['lossy', 1],
] as const) {
  const sides = await openSides(image, {
    backend: netns,
    ...(without === undefined ? {} : { without }),
    wire: ({ outputs, ...step }) => ({ ...step, outputs: outputs.slice(lost) }),
  });
  const aspects: string[] = [];
  for (const each of cases)
    aspects.push(...(await judgeCase(sides, each)).differences.map(({ aspect }) => aspect));
  const { hit, missed } = (await sides.sim('one node')).lookups();
  const differs = `${aspects.join(' ') || 'nothing'} differs`;
  say(`${name}: ${differs}; ${hit} hit, ${missed > 0 ? 'some' : 'none'} missed`);
  await sides.close();
}
process.exit(0);
