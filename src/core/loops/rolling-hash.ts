/** Odd, so that every character of a passage counts; any large odd number will do. */
const BASE = 0x01000193;

/** Hashes of all parts of a text, each in one step. Equal parts have equal hashes; the contrary must be looked at. */
export interface RollingHash {
  /** Of the part that begins at `start` and has `length` characters, as 32 bits with a sign. */
  readonly of: (start: number, length: number) => number;
}

/** Prepares the hashes of the parts of at most `lengthMax` characters. */
export function rollingHash(text: string, lengthMax: number): RollingHash {
  const before = new Int32Array(text.length + 1);
  for (let index = 0; index < text.length; index += 1) {
    before[index + 1] = (Math.imul(at(before, index), BASE) + text.charCodeAt(index) + 1) | 0;
  }
  const powers = new Int32Array(Math.min(lengthMax, text.length) + 1).fill(1);
  for (let index = 1; index < powers.length; index += 1) powers[index] = Math.imul(at(powers, index - 1), BASE);
  return { of: (start, length) => (at(before, start + length) - Math.imul(at(before, start), at(powers, length))) | 0 };
}

function at(numbers: Int32Array, index: number): number {
  return numbers[index] ?? 0;
}
