/** How long files and lines may be. */
import ts from 'typescript';
import { descendants, placeOf, type Source } from './sources.js';

export const columnsMax = 100;
export const linesMax = 250;
/** Of a function of the product; tests and testkits may be longer. */
export const functionLinesMax = 80;

/**
 * Files that are longer, and how long each may be: tests, generators of testkits, and tables of
 * data: columns of OVSDB, fields of OpenFlow, cases. An entry that says more than the file has is
 * a complaint, so that the list only shrinks.
 */
export const longFiles: Readonly<Record<string, number>> = {
  'dev/testing/testing.live.test.ts': 282,
  'dev/tidiness/tidiness.test.ts': 271,
  'harness/base/base.test.ts': 343,
  'harness/cli/cli.live.test.ts': 404,
  'harness/cli/processes/limits.live.test.ts': 301,
  'harness/cli/scenarios/service-events.test.ts': 295,
  'harness/cli/packets/trace.test.ts': 280,
  'harness/compare/compare-state.test.ts': 376,
  'harness/compare/compare-vector.test.ts': 1283,
  'harness/compare/judge-balanced.test.ts': 413,
  'harness/compare/judge-intent.test.ts': 480,
  'harness/compare/locate.test.ts': 320,
  'harness/control/antrea/antrea.test.ts': 268,
  'harness/control/antrea/windows/cni.test.ts': 430,
  'harness/dumps/ovsdb/columns.ts': 357,
  'harness/dumps/ovsdb/read-database.test.ts': 351,
  'harness/explain/run-view.test.ts': 312,
  'harness/fabric/fabric.test.ts': 886,
  'harness/fabric/nat/nat-state.test.ts': 701,
  'harness/fabric/proxy/proxy.test.ts': 275,
  'harness/fabric/proxy/relay-ends.test.ts': 368,
  'harness/fabric/proxy/relay.test.ts': 429,
  'harness/fabric/stack/forward.test.ts': 371,
  'harness/fabric/stack/host.test.ts': 258,
  'harness/fabric/stack/kernel.live.test.ts': 569,
  'harness/fabric/stack/sctp/sctp-states.test.ts': 361,
  'harness/fabric/stack/sctp/sctp.test.ts': 260,
  'harness/fabric/stack/tcp/tcp-states.test.ts': 429,
  'harness/fabric/stack/tcp/tcp.test.ts': 339,
  'harness/fuzz/campaign.live.test.ts': 256,
  'harness/fuzz/campaign.test.ts': 408,
  'harness/fuzz/megaflows.test.ts': 327,
  'harness/intent/intent.test.ts': 404,
  'harness/intent/kubernetes/policy/policy.test.ts': 466,
  'harness/intent/kubernetes/service/service.test.ts': 289,
  'harness/intent/kubernetes/service/session-affinity.test.ts': 278,
  'harness/kube/kube.test.ts': 660,
  'harness/lockstep/play-batch-pass.test.ts': 410,
  'harness/lockstep/play-batch.test.ts': 435,
  'harness/lockstep/play-in-lockstep.test.ts': 251,
  'harness/model/conntrack/helpers/helper.live.test.ts': 283,
  'harness/model/conntrack/tracker.test.ts': 315,
  'harness/model/l2/multicast-snooping.live.test.ts': 396,
  'harness/model/model.test.ts': 917,
  'harness/model/nat/nat.test.ts': 511,
  'harness/model/packets.live.test.ts': 316,
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
  'harness/packet/tcpdump.live.test.ts': 341,
  'harness/packet/tshark.live.test.ts': 322,
  'harness/run/judging/judge-batch.test.ts': 637,
  'harness/run/records/run-folder.test.ts': 440,
  'harness/run/run-scenario.test.ts': 833,
  'harness/run/timeline/play-services.test.ts': 347,
  'harness/run/timeline/play-timeline.test.ts': 386,
  'harness/selftest/ovn-answers.live.test.ts': 276,
  'harness/selftest/promise-faults.test.ts': 264,
  'harness/testbeds/sim/quiesce/learn-watch.live.test.ts': 262,
  'harness/testbeds/sim/sim.live.test.ts': 359,
  'harness/testbeds/sim/sim.test.ts': 362,
  'harness/trace/packet-stimulus.test.ts': 258,
  'harness/trace/script/read-script.test.ts': 264,
  'harness/trace/trace-packets.test.ts': 252,
  'reports/formats.test.ts': 370,
  'reports/html.live.test.ts': 425,
  'reports/terminal.test.ts': 263,
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

/** Functions of the product that are too long, one complaint each. */
export function complainAboutFunctions(file: ts.SourceFile): readonly string[] {
  if (/\.test\.ts$|\/testkit\//.test(file.fileName)) return [];
  const lineOf = (at: number): number => file.getLineAndCharacterOfPosition(at).line + 1;
  return descendants(file).flatMap((node) => {
    if (!ts.isFunctionLike(node)) return [];
    const lines = lineOf(node.end) - lineOf(node.getStart(file)) + 1;
    return lines > functionLinesMax
      ? [`${placeOf(file, node)}: a function of ${lines} lines, of ${functionLinesMax}`]
      : [];
  });
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
