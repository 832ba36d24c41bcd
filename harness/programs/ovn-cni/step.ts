/** The steps of ADD, between which it may die. */
export const steps = ['port made', 'northd follows', 'interface made', 'plugged'] as const;
/** Those of DEL. */
export const stepsOfDel = ['unplugged', 'interface removed'] as const;
export type Step = (typeof steps)[number] | (typeof stepsOfDel)[number];

/**
 * Ends this process as a machine that loses power would, where a test asks for it by
 * OVN_CNI_DIES_AFTER: nothing may be lost then that DEL, or ADD again, does not find.
 */
export function reached(step: Step): void {
  if (process.env['OVN_CNI_DIES_AFTER'] === step) process.kill(process.pid, 'SIGKILL');
}
