/** What two programs of a bridge have in common, as they are written. */

export interface BridgeProgram {
  readonly node: string;
  readonly bridge: string;
  readonly flows: readonly string[];
  readonly groups: readonly string[];
  readonly meters: readonly string[];
}

/** Of a bridge's program. */
export const kindsOfTexts = ['flows', 'groups', 'meters'] as const;

/** By node, bridge and kind, texts that both sides have: what is written alike is alike. */
export type AlikeTexts = ReadonlyMap<string, ReadonlySet<string>>;

export function textsOfBoth(
  expected: readonly BridgeProgram[],
  actual: readonly BridgeProgram[],
): AlikeTexts {
  return new Map(
    expected.flatMap((program) => {
      const { node, bridge } = program;
      const other = actual.find((one) => one.node === node && one.bridge === bridge);
      if (other === undefined) return [];
      return kindsOfTexts.map((kind) => {
        const texts = new Set(other[kind]);
        const both = new Set(program[kind].filter((text) => texts.has(text)));
        return [`${node} ${bridge} ${kind}`, both] as const;
      });
    }),
  );
}
