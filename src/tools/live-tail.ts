import { wordsOfHead, wordsOfTail } from './clip.ts';

/** Looked at before what is shown, so that a secret or a private key is still whole where that begins. */
const MARGIN_CHARACTERS = 4_000;

/**
 * Takes output piece by piece and gives the newest of it for people who watch, at most `charactersMax` characters
 * without secrets. Pieces end anywhere, and the half of a secret is known to nobody: so the last word is shown when a
 * blank follows it.
 */
export function createLiveTail(redact: (text: string) => string, charactersMax: number): (text: string) => string {
  const keptMax = charactersMax + MARGIN_CHARACTERS;
  let kept = '';
  return (text) => {
    kept += text;
    if (kept.length > keptMax) kept = wordsOfTail(kept, keptMax);
    const shown = redact(wordsOfHead(kept, kept.length));
    return shown.length <= charactersMax ? shown : wordsOfTail(shown, charactersMax);
  };
}
