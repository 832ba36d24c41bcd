/**
 * Words that this project invented once, each with the field's term (docs/glossary.md) that takes
 * its place. Identifiers, comments, strings and docs are searched.
 */

export interface BannedWord {
  /** A regular expression; a space stands for any white space, and case does not matter. */
  readonly pattern: string;
  /** What to write instead. */
  readonly use: string;
}

export const bannedWords: readonly BannedWord[] = [
  // How things are reported.
  { pattern: String.raw`\b(told|untold)\b`, use: 'reported, printed, given; by default' },
  {
    pattern: String.raw`(?<!\? )\b(tells?|telling)\b`,
    use: 'reports, prints, says; distinguishes',
  },
  {
    pattern: String.raw`\b(counted|counts|is|are|was|were|does|do|did|known) otherwise\b`,
    use: 'differs',
  },
  { pattern: String.raw`\bone field otherwise\b`, use: 'one field changed' },
  { pattern: String.raw`\botherwise than\b`, use: 'differently from' },
  {
    pattern: String.raw`\b(switch|switches|model|sides|both|levels|they|where|runs) part(ed)?\b`,
    use: 'diverge',
  },
  { pattern: String.raw`\bpartings?\b`, use: 'divergence' },
  { pattern: String.raw`\bremembered without reason\b`, use: 'unexpected' },
  { pattern: String.raw`\bround and round\b`, use: 'in a forwarding loop' },
  { pattern: String.raw`\bwithout a word\b`, use: 'silently, without a message' },
  // Translation of packets, and megaflows.
  { pattern: String.raw`\b(put|puts|putting) off\b`, use: 'freeze' },
  { pattern: String.raw`\b(take|takes|taken|took)( it)? up again\b`, use: 'thaw' },
  { pattern: String.raw`\bbroken off\b`, use: 'aborted; frozen' },
  { pattern: String.raw`\blook(s|ed|ing)? at\b`, use: 'reads, unwildcards; inspects' },
  { pattern: String.raw`\bcarr(y|ies|ied|ying) out\b`, use: 'execute, apply' },
  { pattern: String.raw`\b(goes|gone) on\b`, use: 'continues, recirculates' },
  { pattern: String.raw`\bread anew\b`, use: 'reparsed' },
  { pattern: String.raw`\banew\b`, use: 'again, restarted' },
  { pattern: String.raw`\bout of sight\b`, use: 'beyond what the parser reads' },
  { pattern: String.raw`\bputs? around\b`, use: 'encapsulates' },
  { pattern: String.raw`\b(taken?|takes?) off\b`, use: 'pops, decapsulates' },
  { pattern: String.raw`\bputs? in front\b`, use: 'pushes' },
  { pattern: String.raw`\b(may live no longer|live long enough)\b`, use: 'its TTL expires' },
  { pattern: String.raw`\btranslation of its own\b`, use: 'an xlate of its own' },
  // What OpenFlow leaves unspecified.
  { pattern: String.raw`\bundecided\b`, use: 'ambiguous' },
  { pattern: String.raw`\bwitness(es)?\b`, use: 'oracle' },
  { pattern: String.raw`\bdoubts?\b`, use: 'ambiguity' },
  { pattern: String.raw`\b(left|leaves|leave) open\b`, use: 'ambiguous, not specified' },
  { pattern: String.raw`\bonly the [\w ]{0,12}can tell\b`, use: 'nondeterministic' },
  { pattern: String.raw`\bnobody can (tell|foresee)\b`, use: 'nondeterministic' },
  { pattern: String.raw`\b(foresee|foresees|foreseeable)\b`, use: 'predict; nondeterministic' },
  // Runs.
  { pattern: String.raw`\blanes?\b`, use: 'shard; worker' },
  { pattern: String.raw`\b(hands that play|those who play|who plays?)\b`, use: 'worker' },
  {
    pattern: String.raw`\b(play(s|ed|ing)? together|together with others)\b`,
    use: 'batched, in a batch',
  },
  { pattern: String.raw`\bplay(s|ed|ing)? (them |it )?alone\b`, use: 'run one by one' },
  { pattern: String.raw`(?<!all)(?<!all )\b(settl(e|es|ed|ing)|come to rest)\b`, use: 'quiesce' },
  { pattern: String.raw`\b(all is|is|be|are) quiet\b`, use: 'quiescent' },
  { pattern: String.raw`\bstrays?\b`, use: 'late frames' },
  { pattern: String.raw`\b(gives?|gave|giving) out\b`, use: 'fails; allocates' },
  { pattern: String.raw`\blets? (frames |it )?out\b`, use: 'outputs' },
  { pattern: String.raw`\b(left|leaves?|leaving) behind\b`, use: 'leftover; final state' },
  { pattern: String.raw`\bby the real clock\b`, use: 'in real time' },
  { pattern: String.raw`\b(stand|stands|standing) still\b`, use: 'is stopped' },
  { pattern: String.raw`\bas (small|short) as it gets\b`, use: 'shrunk to a minimal one' },
  { pattern: String.raw`\bmade small(er)?\b`, use: 'shrunk' },
  { pattern: String.raw`\bdeeds?\b`, use: 'event' },
  { pattern: String.raw`\bhappenings?\b`, use: 'events' },
  // Promises and control planes.
  {
    pattern: String.raw`\b((has|have|had|not) heard|hears? of|heard of|unheard)\b`,
    use: 'has received (a stale agent has not)',
  },
  { pattern: String.raw`\bdark (agents?|nodes?|switch(es)?)\b`, use: 'unprogrammed' },
  { pattern: String.raw`\b(the course|in the course of time)\b`, use: 'promise state; timeline' },
  { pattern: String.raw`\boutward\b`, use: 'egress' },
  { pattern: String.raw`\bfar(es|ed)\b`, use: 'is handled' },
  // English.
  { pattern: String.raw`\b(what )?(comes?|came|becomes?|became) of\b`, use: 'result, outcome' },
  { pattern: String.raw`\bof its own accord\b`, use: 'by itself' },
  { pattern: String.raw`\bof no importance\b`, use: 'does not matter' },
  { pattern: String.raw`\btakes? note of\b`, use: 'records' },
  { pattern: String.raw`\b(had better|as ever|be it)\b`, use: 'must; as before; whether' },
];

/**
 * How often patterns still occur that were banned while the code was full of them. A number that
 * is too large is a complaint as well, so that the list only shrinks.
 */
export const stillUsed: Readonly<Record<string, number>> = {
  [String.raw`(?<!\? )\b(tells?|telling)\b`]: 2,
  [String.raw`\banew\b`]: 4,
};
