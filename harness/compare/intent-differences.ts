/** L0 against both sides: how model and switch broke the promise of one pass. */
import type { Finding } from '../domain/verdict.js';
import type { ComparedPass } from './compared-pass.js';
import { judgeIntent } from './judge-intent.js';

export function intentDifferences(
  { pass, intent, model, real }: ComparedPass,
  diverges: boolean,
): readonly Finding[] {
  const byModel = judgeIntent(intent, pass.stimulus, model);
  const byReal = judgeIntent(intent, pass.stimulus, real);
  const finding = (
    between: Finding['between'],
    broken: { readonly expected: string; readonly actual: string },
    who: string,
  ): Finding => ({
    aspect: 'intent',
    between,
    pass: pass.name,
    summary: `${who}: ${broken.actual}`,
    ...broken,
  });
  return [
    ...(byReal === undefined
      ? []
      : [
          finding(
            'intent and switch',
            byReal,
            !diverges && byModel !== undefined
              ? 'on the switch, as the model predicts'
              : 'on the switch',
          ),
        ]),
    ...(byModel === undefined ? [] : [finding('intent and model', byModel, 'in the model')]),
  ];
}
