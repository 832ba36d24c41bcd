/** How long files and lines may be. */
import ts from 'typescript';
import { descendants, type Source } from './sources.js';

export const columnsMax = 100;
export const linesMax = 250;

/**
 * Files that were longer when the limit was set, and how long each may be: tables of data, and
 * files
 * that still hold several subjects. An entry that says more than the file has is a complaint, so
 * that the list only shrinks.
 */
export const longFiles: Readonly<Record<string, number>> = {
  'bench/busy-node.ts': 287,
  'bench/model.ts': 348,
  'harness/base/base.test.ts': 383,
  'harness/base/yaml.ts': 299,
  'harness/cli/cli.live.test.ts': 392,
  'harness/cli/commands.ts': 331,
  'harness/cli/limits.live.test.ts': 293,
  'harness/cli/packet-request.ts': 297,
  'harness/cli/scenario-code.live.test.ts': 262,
  'harness/cli/service-events.test.ts': 303,
  'harness/cli/trace.test.ts': 281,
  'harness/compare/balanced.test.ts': 413,
  'harness/compare/compare.test.ts': 1274,
  'harness/compare/intent.ts': 382,
  'harness/compare/locate.test.ts': 320,
  'harness/compare/locate.ts': 271,
  'harness/compare/promises.test.ts': 469,
  'harness/compare/remembered.test.ts': 331,
  'harness/compare/vector.ts': 311,
  'harness/conformance/conformance.test.ts': 337,
  'harness/conformance/messages.ts': 266,
  'harness/conformance/packet.ts': 301,
  'harness/control/antrea/antrea.test.ts': 268,
  'harness/control/antrea/policy/rules.ts': 298,
  'harness/control/antrea/windows/cni.test.ts': 430,
  'harness/control/antrea/windows/initialization.ts': 289,
  'harness/control/antrea/windows/plan.ts': 280,
  'harness/fabric/fabric.test.ts': 874,
  'harness/fabric/forward.test.ts': 362,
  'harness/fabric/host.test.ts': 253,
  'harness/fabric/kernel.live.test.ts': 565,
  'harness/fabric/proxy.test.ts': 275,
  'harness/fabric/relay-ends.test.ts': 367,
  'harness/fabric/relay.test.ts': 428,
  'harness/fabric/relay.ts': 280,
  'harness/fabric/sctp-states.test.ts': 356,
  'harness/fabric/sctp.test.ts': 258,
  'harness/fabric/sctp.ts': 333,
  'harness/fabric/stack.ts': 281,
  'harness/fabric/tcp-states.test.ts': 428,
  'harness/fabric/tcp.test.ts': 338,
  'harness/fabric/tcp.ts': 338,
  'harness/fabric/translation.test.ts': 701,
  'harness/fabric/translation.ts': 277,
  'harness/fuzz/fuzz.live.test.ts': 252,
  'harness/fuzz/fuzz.test.ts': 407,
  'harness/fuzz/generate/actions.ts': 452,
  'harness/fuzz/generate/spotlight.ts': 294,
  'harness/fuzz/generate/traffic.ts': 277,
  'harness/fuzz/megaflows.test.ts': 321,
  'harness/fuzz/network.ts': 303,
  'harness/intent/course.ts': 482,
  'harness/intent/intent.test.ts': 389,
  'harness/intent/policy/policy.test.ts': 466,
  'harness/intent/policy/verdict.ts': 258,
  'harness/intent/service/outside.ts': 358,
  'harness/intent/service/served.test.ts': 264,
  'harness/intent/service/service.test.ts': 289,
  'harness/intent/service/windows-port.ts': 279,
  'harness/kube/kube.test.ts': 671,
  'harness/model/arbitrary-frame.ts': 325,
  'harness/model/arbitrary.ts': 368,
  'harness/model/cases.ts': 890,
  'harness/model/conntrack/fragments.ts': 311,
  'harness/model/conntrack/helper.live.test.ts': 282,
  'harness/model/conntrack/nat.test.ts': 510,
  'harness/model/conntrack/tcp.ts': 312,
  'harness/model/conntrack/tracker.test.ts': 307,
  'harness/model/flows/flows.live.test.ts': 337,
  'harness/model/hash.ts': 286,
  'harness/model/megaflows/megaflow.ts': 265,
  'harness/model/model.test.ts': 909,
  'harness/model/node.ts': 285,
  'harness/model/packet.ts': 297,
  'harness/model/packets.live.test.ts': 312,
  'harness/model/pipeline/output.ts': 356,
  'harness/model/pipeline/tables.ts': 266,
  'harness/model/pipeline/translation.ts': 382,
  'harness/model/pipeline/tunnel.ts': 365,
  'harness/model/snooping.live.test.ts': 386,
  'harness/model/tunnels/tunnel-cases.ts': 411,
  'harness/model/tunnels/wrap.ts': 274,
  'harness/nouns/plan.ts': 347,
  'harness/nouns/topology-check.ts': 340,
  'harness/openflow/actions/actions.test.ts': 682,
  'harness/openflow/actions/corpus.test.ts': 254,
  'harness/openflow/actions/sets.ts': 317,
  'harness/openflow/arbitrary-actions.ts': 607,
  'harness/openflow/fields.ts': 494,
  'harness/openflow/groups.ts': 489,
  'harness/openflow/match.ts': 263,
  'harness/openflow/openflow.test.ts': 525,
  'harness/packet/dissect.test.ts': 427,
  'harness/packet/dissect/layers.test.ts': 359,
  'harness/packet/flow-key.test.ts': 340,
  'harness/packet/headers.test.ts': 736,
  'harness/packet/packet.test.ts': 549,
  'harness/packet/tcpdump.live.test.ts': 331,
  'harness/packet/tshark.live.test.ts': 318,
  'harness/run/batch-play.test.ts': 422,
  'harness/run/batch.test.ts': 628,
  'harness/run/history/history.test.ts': 389,
  'harness/run/history/play.ts': 403,
  'harness/run/history/services.test.ts': 351,
  'harness/run/misfits.ts': 254,
  'harness/run/run-folder.test.ts': 433,
  'harness/run/run.test.ts': 839,
  'harness/run/together.test.ts': 409,
  'harness/run/together.ts': 251,
  'harness/run/vector-run.ts': 322,
  'harness/selftest/faults.ts': 363,
  'harness/selftest/selftest.ts': 413,
  'harness/testbeds/sim/configure.ts': 401,
  'harness/testbeds/sim/learning.live.test.ts': 269,
  'harness/testbeds/sim/node.ts': 395,
  'harness/testbeds/sim/sim.live.test.ts': 357,
  'harness/testbeds/sim/sim.test.ts': 450,
  'harness/testbeds/sim/sim.ts': 274,
  'harness/testing/testing.live.test.ts': 282,
  'harness/trace/document.ts': 263,
  'harness/trace/ovsdb/ovsdb.test.ts': 348,
  'harness/trace/script/prepare.ts': 272,
  'harness/trace/script/read.ts': 298,
  'harness/trace/script/script.test.ts': 263,
  'harness/trace/stimulus.test.ts': 256,
  'harness/trace/switch.ts': 317,
  'harness/view/hops.ts': 256,
  'harness/view/view.test.ts': 313,
  'harness/view/view.ts': 399,
  'harness/view/words.ts': 269,
  'reports/formats.test.ts': 370,
  'reports/html.live.test.ts': 420,
  'reports/html/page-data.ts': 301,
  'reports/html/page/path.ts': 418,
  'reports/terminal.test.ts': 267,
  'topologies/generated-history.ts': 456,
  'topologies/generated-policies.ts': 344,
  'topologies/generated-services.ts': 288,
  'topologies/happenings.ts': 354,
  'topologies/topologies.test.ts': 253,
};

/** Files that are too long, and entries of `allowed` that are out of date, one line each. */
export function complainAboutFiles(
  sources: readonly Source[],
  allowed: Readonly<Record<string, number>> = longFiles,
): readonly string[] {
  const lines = new Map(
    sources.map(({ path, text }) => [path, text.replace(/\n$/, '').split('\n').length]),
  );
  const tooLong = [...lines].flatMap(([path, count]) =>
    count > (allowed[path] ?? linesMax)
      ? [`${path}: ${count} lines, of ${allowed[path] ?? linesMax}`]
      : [],
  );
  const outdated = Object.entries(allowed).flatMap(([path, max]) => {
    const count = lines.get(path) ?? 0;
    return count < max
      ? [`${path}: ${count} lines, and harness/tidiness/lengths.ts says ${max}`]
      : [];
  });
  return [...tooLong, ...outdated];
}

/**
 * Lines that are too long, one complaint each. The text of a template over several lines (CSS,
 * YAML, a dump) stands as it is, and so does a tagged one; a regular expression and a word cannot
 * be broken.
 */
export function complainAboutLines(file: ts.SourceFile): readonly string[] {
  const long = file.text
    .split('\n')
    .flatMap((line, index) => (line.length > columnsMax ? [index] : []));
  if (long.length === 0) return [];
  const lineOf = (at: number): number => file.getLineAndCharacterOfPosition(at).line;
  const exempt = descendants(file).filter(cannotBreak(lineOf, file));
  const fine = (index: number): boolean =>
    exempt.some((node) => lineOf(node.getStart(file)) <= index && index <= lineOf(node.end));
  return long.filter((index) => !fine(index)).map((index) => `${file.fileName}:${index + 1}`);
}

function cannotBreak(lineOf: (at: number) => number, file: ts.SourceFile) {
  return (node: ts.Node): boolean =>
    ts.isRegularExpressionLiteral(node) ||
    ts.isTaggedTemplateExpression(node) ||
    (ts.isStringLiteral(node) && !/\s/.test(node.text)) ||
    ((ts.isTemplateExpression(node) || ts.isNoSubstitutionTemplateLiteral(node)) &&
      lineOf(node.getStart(file)) < lineOf(node.end));
}
