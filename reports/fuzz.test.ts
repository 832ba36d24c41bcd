// Goal: what a campaign of the fuzzer says in its last lines is what it was: sound, or not to its
// end. Method: results that are written down, as texts and as JSON.
import { stripVTControlCharacters } from 'node:util';
import t from 'tap';
import { Unavailable } from '../harness/base/errors/errors.js';
import type { CampaignResult } from '../harness/fuzz/campaign.js';
import { noCoverage } from '../harness/fuzz/coverage/coverage.js';
import { languageCalled } from '../harness/fuzz/languages.js';
import { fuzzAsJson, renderFuzzImage } from './render-fuzz.js';

const sound: CampaignResult = {
  cases: 3,
  sent: 100,
  frames: 90,
  counters: 40,
  refused: new Map(),
  unknown: new Map(),
  unseen: new Map(),
  coverage: noCoverage(),
  findings: [],
};
const lines = (result: CampaignResult) =>
  stripVTControlCharacters(renderFuzzImage({ image: 'trixie 3.5.0', result })).split('\n');

void t.test('one that came to its end, and one that did not', async (t) => {
  t.same(lines(sound), [
    '✔ trixie 3.5.0  100 packets of 3 cases: 90 frames and 40 counters compared, 0.0 % of the ' +
      'steps left out',
  ]);
  const gone = {
    ...sound,
    gone: new Unavailable('it is gone', ['bring it back'], ['its last word']),
  };
  t.same(lines(gone), [
    '? trixie 3.5.0  100 packets of 3 cases: 90 frames and 40 counters compared, 0.0 % of the ' +
      'steps left out',
    '  it ended there: it is gone',
    '    its last word',
    '  - bring it back',
  ]);
  const asJson = (result: CampaignResult) =>
    JSON.parse(
      fuzzAsJson(languageCalled('openflow'), 1, 100, [{ image: 'trixie 3.5.0', result }]),
    ) as { readonly images: readonly { readonly gone?: string }[] };
  t.same(
    [asJson(sound), asJson(gone)].map(({ images: [image] }) => image?.gone),
    [undefined, 'it is gone'],
  );
});
