// Goal: the first bad one is found wherever it is, with as few questions as halving takes, also
// where some cannot be asked. Method: every place in series of some lengths; a fault is planted by
// an answer that is turned round.
import t from 'tap';
import { bisect, type Answer } from './bisect.js';

const asked = (firstBad: number, skipped: readonly number[] = []) => {
  const questions: number[] = [];
  return {
    questions,
    ask: (index: number): Promise<Answer> => {
      questions.push(index);
      if (skipped.includes(index)) return Promise.resolve({ kind: 'skip', why: 'no rule' });
      return Promise.resolve({ kind: index >= firstBad ? 'bad' : 'good' });
    },
  };
};

void t.test('each place in 64', async (t) => {
  const series = Array.from({ length: 64 }, (_, index) => index);
  for (const firstBad of series) {
    const { ask, questions } = asked(firstBad);
    t.same((await bisect(series, ask)).first, [firstBad]);
    t.ok(questions.length <= 6, `${firstBad}: ${questions.length} questions`);
    t.equal(new Set(questions).size, questions.length, 'nothing is asked twice');
  }
});

void t.test('what is skipped', async (t) => {
  const series = Array.from({ length: 16 }, (_, index) => index);
  const { ask } = asked(9, [7, 8]);
  t.same((await bisect(series, ask)).first, [7, 8, 9], 'it is one of those');
  t.same((await bisect(series, asked(12, [7, 8]).ask)).first, [12]);
});

void t.test('an answer that is turned round leads elsewhere', async (t) => {
  const series = Array.from({ length: 16 }, (_, index) => index);
  const { ask } = asked(9);
  const wrong = async (index: number): Promise<Answer> =>
    index === 8 ? { kind: 'bad' } : await ask(index);
  t.not((await bisect(series, wrong)).first[0], 9);
});
