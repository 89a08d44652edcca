/**
 * Every number of loop detection that a spec cannot set. "Public detector" is the loop detection of Gemini CLI 0.61.0
 * (`packages/core/src/services/loopDetectionService.ts`); its defaults for `cycleRepeats` (5), `chantRepeats` (10) and
 * `judgeAfterTurns` (30) stand in `contract/spec.ts`. Numbers without a source are ours.
 */

/** Calls in the longest cycle that is looked for. Public detector. */
export const CYCLE_CALLS_MAX = 5;

/** Characters of the passages that are compared. Public detector. */
export const PASSAGE_CHARACTERS = 50;

/** Characters from one occurrence of a passage to the next, on average over those that count. Public detector. */
export const PASSAGE_GAP_MEAN_MAX = 250;

/** Different texts from one occurrence to the next, as a share of the occurrences: 5 of 10. Public detector. */
export const GAP_TEXTS_SHARE_MAX = 0.5;

/**
 * Occurrences that begin closer together are one. Without it 59 equal characters would be a chant, such as the leaders
 * of a table of contents or a digest of zeros; with it, it takes 185.
 */
export const OCCURRENCE_SPACING_MIN = 15;

/** A longer line of dashes is not drawn by anybody who is well. */
export const DIVIDER_CHARACTERS_MAX = 200;

/** How alike two replies are to be the same: shared shingles over all shingles (Jaccard). */
export const SAME_REPLY_SIMILARITY = 0.9;

/** Characters, after normalising, below which a reply says too little to be compared. */
export const SAME_REPLY_CHARACTERS_MIN = 40;

/** Characters of one shingle: long enough to tell texts apart, and independent of a language's words. */
export const SHINGLE_CHARACTERS = 5;

/** Hashes kept of one reply. The error of the estimate is about 0.04 at a similarity of 0.9, and none under 64 shingles. */
export const SKETCH_HASHES = 64;

/** Hashes of a sketch that name a pattern of replies, and how many of them a reply must share to be of it. */
export const REPLY_KEY_HASHES = 4;
export const REPLY_KEY_SHARED_MIN = 3;

/** Repeats after which a pattern that was warned about is found again, counted from the warning. */
export const REPEATS_AFTER_WARNING = 2;

/**
 * Of turns without progress, what is left after a warning: a third, because one look around may be needed after it, and
 * at most 10, so that the ladder has no time to fall back meanwhile.
 */
export const IDLE_SHARE_AFTER_WARNING = 1 / 3;
export const IDLE_TURNS_AFTER_WARNING_MAX = 10;

/** Turns without a find after which warnings are forgotten and the ladder falls back to the bottom. */
export const QUIET_TURNS = 30;

/** What is remembered, so that a memory stays under 8 KB of JSON however long a run is. */
export const CALLS_REMEMBERED = 64;
export const RESULTS_REMEMBERED = 200;
export const WARNINGS_REMEMBERED = 8;
export const ALLOWED_REMEMBERED = 32;
export const SUMMARY_CHARACTERS_MAX = 80;

/** Confidence, 0 to 1, from which a judgement counts as stuck; exactly this counts. Public detector. */
export const STUCK_AT = 0.9;

/** Turns from one judgement to the next, until a confidence moves them. Public detector. */
export const JUDGE_INTERVAL_TURNS = 10;

/** Turns to the next judgement: the first when it is sure that the run is stuck, the second when it is sure of the contrary. */
export const JUDGE_INTERVAL_TURNS_MIN = 5;
export const JUDGE_INTERVAL_TURNS_MAX = 15;

/** Characters at the end of an answer that are searched for a judgement, and those kept of its reason. */
export const JUDGE_ANSWER_CHARACTERS_MAX = 16_000;
export const JUDGE_REASON_CHARACTERS_MAX = 500;
