/** Switches that OVN programs: what they do counts only as long as all of its daemons run. */
import type { ClusterPlan } from '../../domain/plan/cluster-plan.js';
import type { Reconfiguration } from '../../domain/switching.js';
import { assert } from '../../base/errors/errors.js';
import { canonicalProgram } from '../../ovn/canonical-program.js';
import { renameConjunctions } from '../../ovn/conjunctions.js';
import { compiledPlan } from '../../ovn/compiled-plan.js';
import type { Ovn } from '../../ovn/ovn.js';
import type { Vswitch } from '../../ovs/vswitch.js';
import type { OvsSwitches } from '../ovs-switches.js';

/**
 * @param compiled the plan with what OVN has made of it.
 * @param vswitchOf a node's daemons as they are now.
 */
export function programmedByOvn(
  switches: OvsSwitches,
  { ovn, compiled }: { readonly ovn: Ovn; readonly compiled: ClusterPlan },
  vswitchOf: (node: string) => Vswitch,
): OvsSwitches {
  const watched = async <T>(work: () => Promise<T>): Promise<T> => {
    const done = await ovn.whileAlive(work());
    await ovn.checkAlive();
    return done;
  };
  return {
    ...switches,
    compiled,
    versions: { ...switches.versions, ...ovn.versions },
    get ovnDaemons() {
      return new Map(ovn.daemons.map(({ name, pid }) => [name, pid]));
    },
    call: watching(async (calls) => {
      for (const call of calls) if (call.kind === 'announce') await ovn.announce(call);
      return await switches.call(calls);
    }, watched),
    reset: watching(async () => {
      ovn.announceAgain();
      await switches.reset();
    }, watched),
    counts: watching(async () => {
      const counts = await switches.counts();
      return counts.map((count) => {
        const { node, bridge, match } = count.flow;
        if (!match.includes('conj_id=')) return count;
        const names = ovn.conjunctions(node, bridge);
        return { ...count, flow: { ...count.flow, match: renameConjunctions(match, names) } };
      });
    }, watched),
    state: watching(switches.state, watched),
    program: watching(async (nodes?: ReadonlySet<string>) => {
      const programs = await switches.program(nodes);
      return programs.map((program) => ({
        ...program,
        ...canonicalProgram(program, ovn.sources()),
      }));
    }, watched),
    reconfigure: async (change: Reconfiguration) => {
      if (change.kind === 'restart' && change.whole === true) await ovn.endController(change.node);
      await watched(async () => {
        await switches.reconfigure(change);
        if (change.kind === 'detach') await ovn.renumbered();
      });
    },
    traceLogically: ovn.traceLogically,
    recompute: () => ovn.recompute(),
    recompile: async (plan) => {
      assert(plan.northbound !== undefined, 'OVN programs what has northbound rows');
      await ovn.startControllers(vswitchOf);
      return compiledPlan(plan, await ovn.apply(plan.northbound));
    },
  };
}

function watching<Args extends readonly unknown[], T>(
  call: (...args: Args) => Promise<T>,
  watched: (work: () => Promise<T>) => Promise<T>,
): (...args: Args) => Promise<T> {
  return (...args) => watched(() => call(...args));
}
