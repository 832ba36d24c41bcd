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
  'bench/model.ts': 352,
  'dev/testing/testing.live.test.ts': 282,
  'harness/base/base.test.ts': 383,
  'harness/base/text/yaml.ts': 299,
  'harness/cli/cli.live.test.ts': 404,
  'harness/cli/limits.live.test.ts': 293,
  'harness/cli/scenario-code.live.test.ts': 262,
  'harness/cli/service-events.test.ts': 296,
  'harness/cli/trace.test.ts': 284,
  'harness/compare/compare-state.test.ts': 377,
  'harness/compare/compare-vector.test.ts': 1274,
  'harness/compare/judge-balanced.test.ts': 413,
  'harness/compare/judge-intent.test.ts': 469,
  'harness/compare/locate.test.ts': 320,
  'harness/control/antrea/antrea.test.ts': 268,
  'harness/control/antrea/policy/rules.ts': 298,
  'harness/control/antrea/windows/cni.test.ts': 430,
  'harness/control/antrea/windows/plan.ts': 260,
  'harness/domain/plan/cluster-plan.ts': 324,
  'harness/domain/topology-check.ts': 329,
  'harness/dumps/ovsdb/columns.ts': 354,
  'harness/dumps/ovsdb/read-database.test.ts': 354,
  'harness/explain/run-view.test.ts': 311,
  'harness/fabric/fabric.test.ts': 886,
  'harness/fabric/nat/nat-state.test.ts': 701,
  'harness/fabric/proxy/proxy.test.ts': 275,
  'harness/fabric/proxy/relay-ends.test.ts': 368,
  'harness/fabric/proxy/relay.test.ts': 428,
  'harness/fabric/stack/forward.test.ts': 367,
  'harness/fabric/stack/host.test.ts': 258,
  'harness/fabric/stack/kernel.live.test.ts': 569,
  'harness/fabric/stack/sctp/sctp-states.test.ts': 361,
  'harness/fabric/stack/sctp/sctp.test.ts': 259,
  'harness/fabric/stack/sctp/sctp.ts': 258,
  'harness/fabric/stack/tcp/tcp-states.test.ts': 429,
  'harness/fabric/stack/tcp/tcp.test.ts': 338,
  'harness/fabric/stack/tcp/tcp.ts': 336,
  'harness/fuzz/campaign.live.test.ts': 256,
  'harness/fuzz/campaign.test.ts': 408,
  'harness/fuzz/generate/draw-traffic.ts': 257,
  'harness/fuzz/megaflows.test.ts': 327,
  'harness/intent/antrea/windows/windows-port.ts': 289,
  'harness/intent/intent.test.ts': 404,
  'harness/intent/kubernetes/policy/policy-verdict.ts': 258,
  'harness/intent/kubernetes/policy/policy.test.ts': 466,
  'harness/intent/kubernetes/service/external-access.ts': 366,
  'harness/intent/kubernetes/service/service.test.ts': 289,
  'harness/intent/kubernetes/service/session-affinity.test.ts': 278,
  'harness/intent/over-time/promise-state.ts': 503,
  'harness/kube/kube.test.ts': 666,
  'harness/lockstep/play-batch-pass.test.ts': 409,
  'harness/lockstep/play-batch.test.ts': 432,
  'harness/model/conntrack/helpers/helper.live.test.ts': 283,
  'harness/model/conntrack/tracker.test.ts': 308,
  'harness/model/l2/multicast-snooping.live.test.ts': 394,
  'harness/model/model.test.ts': 916,
  'harness/model/nat/nat.test.ts': 511,
  'harness/model/packets.live.test.ts': 315,
  'harness/model/tables/flows/flows.live.test.ts': 339,
  'harness/model/testkit/arbitrary-frame.ts': 333,
  'harness/model/testkit/arbitrary-pipeline.ts': 385,
  'harness/model/testkit/cases.ts': 890,
  'harness/model/testkit/tunnels/tunnel-cases.ts': 411,
  'harness/openflow-conformance/openflow-conformance.test.ts': 337,
  'harness/openflow/actions/actions.test.ts': 682,
  'harness/openflow/match/fields.ts': 494,
  'harness/openflow/openflow.test.ts': 525,
  'harness/openflow/testkit/actions-corpus.test.ts': 256,
  'harness/openflow/testkit/arbitrary-actions.ts': 604,
  'harness/packet/dissect/dissect.test.ts': 427,
  'harness/packet/dissect/layers.test.ts': 359,
  'harness/packet/flow-key/flow-key.test.ts': 340,
  'harness/packet/packet.test.ts': 560,
  'harness/packet/protocols/headers.test.ts': 736,
  'harness/packet/tcpdump.live.test.ts': 342,
  'harness/packet/tshark.live.test.ts': 322,
  'harness/run/judge-batch.test.ts': 633,
  'harness/run/judged-vector.ts': 287,
  'harness/run/run-folder.test.ts': 434,
  'harness/run/run-scenario.test.ts': 835,
  'harness/run/shards.ts': 266,
  'harness/run/timeline/play-services.test.ts': 344,
  'harness/run/timeline/play-timeline.test.ts': 387,
  'harness/run/timeline/play-timeline.ts': 419,
  'harness/selftest/faults.ts': 261,
  'harness/testbeds/sim/quiesce/learn-watch.live.test.ts': 271,
  'harness/testbeds/sim/sim-node.ts': 427,
  'harness/testbeds/sim/sim.live.test.ts': 358,
  'harness/testbeds/sim/sim.test.ts': 452,
  'harness/trace/packet-stimulus.test.ts': 258,
  'harness/trace/script/read-script.test.ts': 264,
  'harness/trace/trace-packets.test.ts': 251,
  'reports/formats.test.ts': 370,
  'reports/html.live.test.ts': 425,
  'reports/html/page-data.ts': 298,
  'reports/terminal.test.ts': 263,
  'topologies/cluster-events.ts': 354,
  'topologies/generated/generated-policies.ts': 344,
  'topologies/generated/generated-services.ts': 288,
  'topologies/generated/generated-timeline.ts': 457,
  'topologies/topologies.test.ts': 252,
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
    return count < max ? [`${path}: ${count} lines, and dev/tidiness/lengths.ts says ${max}`] : [];
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
