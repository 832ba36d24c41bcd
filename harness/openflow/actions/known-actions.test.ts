/**
 * Goal: a reader that remembers texts answers as one that reads each again, whatever flows came
 * before. Method: random flows in a random order through one reader; and a text that only some
 * matches allow, behind one that does.
 */
import t from 'tap';
import fc from 'fast-check';
import { complaint } from '../../base/errors/errors.js';
import { parseDumpedFlow, parseFlow, printFlow } from '../flows/flow.js';
import { noNames } from '../syntax/form.js';
import { anyFlow } from '../testkit/arbitrary-flow.js';
import { actionsReader } from './known-actions.js';

const place = { file: 'flows', line: 1 };

void t.test('it reads what parseActions reads', (t) => {
  fc.assert(
    fc.property(fc.array(anyFlow, { minLength: 2, maxLength: 20 }), (flows) => {
      const read = actionsReader();
      const texts = flows.map(printFlow);
      const actions = texts.map((text) => text.replace(/^.*? actions=/s, ''));
      // Each flow with the actions of each: most are read a second time, behind another match.
      for (const text of texts)
        for (const other of actions) {
          const mixed = text.replace(/ actions=.*$/s, ` actions=${other}`);
          const asOne = (parse: () => string) => {
            try {
              return parse();
            } catch (error) {
              return String(error);
            }
          };
          const expected = asOne(() => printFlow(parseFlow(mixed, noNames, place)));
          if (expected.startsWith('InputError')) continue;
          t.ok(
            asOne(() => printFlow(parseDumpedFlow(mixed, noNames, place, read).flow)) === expected,
          );
        }
    }),
    { seed: 1, numRuns: 20 },
  );
  t.end();
});

void t.test('a text is read again where the match decides', (t) => {
  const read = actionsReader();
  const text = (match: string) => `${match} actions=set_field:80->tcp_dst,output:1`;
  t.ok(parseDumpedFlow(text('tcp,nw_src=10.0.0.1'), noNames, place, read));
  t.ok(parseDumpedFlow(text('tcp,nw_src=10.0.0.2'), noNames, place, read));
  t.match(
    complaint(() => parseDumpedFlow(text('udp,nw_src=10.0.0.1'), noNames, place, read)),
    /tcp_dst needs a match on tcp beside it/,
  );
  const first = parseDumpedFlow(text('tcp,nw_src=10.0.0.1'), noNames, place, read);
  const second = parseDumpedFlow(text('tcp,nw_src=10.0.0.9'), noNames, place, read);
  t.equal(first.flow.actions, second.flow.actions, 'the same actions, not others that are alike');
  t.end();
});
