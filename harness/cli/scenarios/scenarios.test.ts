/**
 * Goal: `--set` narrows the matrix to what was asked for, and to nothing else. Method: a scenario
 * of two axes.
 */
import t from 'tap';
import encap from '../../../scenarios/antrea/encap.js';
import { matrix, parseSettings } from './scenarios.js';

const points = (text?: string) =>
  matrix(encap, parseSettings(text, [encap])).map(({ nodes, tunnel }) => `${nodes} ${tunnel}`);

void t.test('the matrix', (t) => {
  t.strictSame(points(), ['2 geneve']);
  t.strictSame(points('nodes=3'), ['3 geneve']);
  t.strictSame(
    points('tunnel=gre,nodes=3,nodes=2,nodes=3'),
    ['3 gre', '2 gre'],
    'an axis as often as it is named, each value once',
  );
  t.strictSame(points('nodes=all').length, encap.axes.nodes?.values.length);
  t.throws(() => points('nodes=3,nodes=4'), {
    name: 'InputError',
    message: /unknown value of axis nodes .* "4"/,
  });
  t.throws(() => points('nodes='), { name: 'InputError', message: /expected axis=value/ });
  t.throws(() => points('pods=2'), { name: 'InputError', message: /unknown axis "pods"/ });
  t.end();
});
