/** The known word nearest to what somebody wrote, or null when none is near enough to be meant. */
function suggest(word: string, known: readonly string[]): string | null {
  const lower = word.toLowerCase();
  const scored = known.map((candidate) => ({
    candidate,
    distance: nearness(lower, candidate.toLowerCase()),
    exact: editDistance(word, candidate),
  }));
  // Of `bash` and `Bash` the one that is written alike is meant.
  const best = scored.toSorted((a, b) => a.distance - b.distance || a.exact - b.exact)[0];
  if (best === undefined) return null;
  return best.distance <= Math.max(1, Math.floor(word.length / 3)) ? best.candidate : null;
}

/** `; did you mean "x"?`, or nothing. */
export function didYouMean(word: string, known: readonly string[]): string {
  const near = suggest(word, known);
  return near === null ? '' : `; did you mean "${near}"?`;
}

/** `allowed-tools` means `tools`: a whole known word inside counts as near. */
function nearness(word: string, candidate: string): number {
  return word.split(/[-_ ]/).includes(candidate) ? 1 : editDistance(word, candidate);
}

/** Levenshtein: how many letters must be put in, taken out or replaced. Words longer than 64 are never near. */
function editDistance(from: string, to: string): number {
  if (from.length > 64 || to.length > 64) return Number.POSITIVE_INFINITY;
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...from].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...to].entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
