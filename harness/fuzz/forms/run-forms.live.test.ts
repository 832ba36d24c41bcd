/**
 * Goal: whatever ovs-ofctl prints of a bridge is read, and check plays what trace reads. Method: a
 * case in each form of a seed; then switches that are built with a flow less than was dumped.
 */
import t from 'tap';
import { openImage } from '../../../images/images.js';
import type { NodePlan } from '../../domain/plan/cluster-plan.js';
import { defaultBackend } from '../../testbeds/registry.js';
import { judgeForm } from './judge-form.js';
import { dumpForms, printForm } from './print-forms.js';
import { drawFormCase, formOf, runForms } from './run-forms.js';

const image = await openImage('trixie', (line) => t.comment(line));
const open = (plan: NodePlan) => defaultBackend.open({ nodes: [plan] }, image);

void t.test('cases are the same each time, and take turns with the forms', (t) => {
  t.strictSame(drawFormCase(7, 3), drawFormCase(7, 3));
  t.equal(new Set(dumpForms.map((_, index) => printForm(formOf(index)))).size, dumpForms.length);
  t.end();
});

void t.test('a case in each form', async (t) => {
  const { findings, frames, skipped } = await runForms({ seed: 1, count: dumpForms.length, open });
  t.strictSame(findings, []);
  t.strictSame([...skipped], []);
  t.ok(frames > 50, `${frames} frames`);
});

void t.test('a flow that is lost on the way is found', async (t) => {
  const losing = (plan: NodePlan) => {
    const program = plan.asDumped?.programs['br0'];
    return open(
      plan.asDumped === undefined || program === undefined
        ? plan
        : {
            ...plan,
            asDumped: {
              ...plan.asDumped,
              programs: { br0: { ...program, flows: (program.flows ?? []).slice(0, -1) } },
            },
          },
    );
  };
  const { differences } = await judgeForm(drawFormCase(1, 0), formOf(0), losing);
  t.not(differences.length, 0);
});
