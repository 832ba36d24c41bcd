/**
 * `manifest.json` of a run folder: what was run and on what, and digests that hold the other files
 * to it.
 */
import { arch, release } from 'node:os';
import { z } from 'zod';
import { canonicalJson, sha256 } from '../../base/files/digest.js';
import type { RunRecord } from './run-record.js';
import { runReport } from './run-report.js';

export const folderFormat = 'flowbed/run-folder/2';

const digest = z.string().regex(/^[0-9a-f]{64}$/, 'expected a SHA-256, 64 digits in hexadecimal');

const inputs = z.object({
  scenario: z.string(),
  axes: z.record(z.string(), z.string()),
  topology: digest,
  plan: digest,
  vectors: digest,
  timeline: digest.exactOptional(),
});

const { again, seed, backend, image, imageDigest, versions, verdict, traceHash } = runReport.shape;

function isWithin(path: string): boolean {
  return path.split('/').every((part) => !['', '.', '..'].includes(part));
}

export const runManifest = z.object({
  format: z.literal(folderFormat),
  again,
  seed,
  backend,
  image,
  imageDigest,
  versions,
  verdict,
  traceHash,
  inputs: z.array(inputs),
  machine: z.object({ node: z.string(), architecture: z.string(), kernel: z.string() }),
  /** Of each other file of the folder, by its path within. */
  files: z.record(
    z.string().refine(isWithin, 'expected the path of a file within the folder'),
    digest,
  ),
  /** Of all of the above: `sealOf`. */
  seal: digest,
});

export type RunManifest = z.infer<typeof runManifest>;

/** The parts of the manifest that a run's record gives. */
export type RecordedInputs = Omit<RunManifest, 'format' | 'machine' | 'files' | 'seal'>;

/** @param files the other files of the folder, by their paths within, as they are written. */
export function manifestOf(record: RunRecord, files: ReadonlyMap<string, string>): RunManifest {
  const content = {
    format: folderFormat,
    ...recordedInputs(record),
    machine: { node: process.version, architecture: arch(), kernel: release() },
    files: Object.fromEntries([...files].map(([name, text]) => [name, sha256(text)])),
  } as const;
  return { ...content, seal: sealOf(content) };
}

/** A digest of a manifest: a word of it that is changed by hand no longer fits. */
export function sealOf({
  seal: _,
  ...content
}: Omit<RunManifest, 'seal'> & { readonly seal?: string }): string {
  return sha256(canonicalJson(content));
}

/** What was run, with a digest of every input. */
export function recordedInputs({ report, scenarios }: RunRecord): RecordedInputs {
  const { again, seed, backend, image, imageDigest, versions, verdict, traceHash } = report;
  return {
    again,
    seed,
    backend,
    image,
    imageDigest,
    versions,
    verdict,
    traceHash,
    inputs: scenarios.map(({ topology, plan, vectors, timeline }, index) => ({
      scenario: report.scenarios[index]?.name ?? '',
      axes: report.scenarios[index]?.axes ?? {},
      topology: sha256(canonicalJson(topology)),
      plan: sha256(canonicalJson(plan)),
      vectors: sha256(canonicalJson(vectors.map(({ vector }) => vector))),
      ...(timeline === undefined ? {} : { timeline: sha256(canonicalJson(timeline)) }),
    })),
  };
}
