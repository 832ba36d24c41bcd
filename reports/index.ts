/** Every format that a run is written in: the files of `flowbed run --report DIR`. */
import { printedJson } from '../harness/base/text/visible.js';
import type { RunRecord } from '../harness/run/records/run-record.js';
import { renderCapture } from './capture.js';
import { renderHtml } from './html/html.js';
import { renderJunit } from './junit.js';
import { renderMarkdown } from './markdown.js';
import { renderReachabilityCsv } from './reachability-csv.js';
import { renderTap } from './tap.js';

export interface Renderer {
  /** The file's name in the folder of reports. */
  readonly file: string;
  readonly render: (record: RunRecord) => string | Uint8Array | Promise<string>;
}

export const renderers: readonly Renderer[] = [
  { file: 'report.html', render: renderHtml },
  { file: 'junit.xml', render: ({ report }) => renderJunit(report) },
  { file: 'report.tap', render: ({ report }) => renderTap(report) },
  { file: 'report.md', render: ({ report }) => renderMarkdown(report) },
  { file: 'report.json', render: ({ report }) => `${printedJson(report)}\n` },
  { file: 'reachability.csv', render: ({ report }) => renderReachabilityCsv(report) },
  { file: 'frames.pcapng', render: renderCapture },
];
