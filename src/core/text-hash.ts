/**
 * A fingerprint of a text: two multiplicative hashes (FNV-1a with its published prime, and one with another) in 16 hex
 * digits. It tells texts of one run apart; it protects nothing, which is what the worker's SHA-256 is for.
 */
export function textHash(text: string): string {
  let [first, second] = [0x811c9dc5, 0x9e3779b9];
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    first = Math.imul(first ^ unit, 0x01000193);
    second = Math.imul(second ^ unit, 0x85ebca6b) ^ (second >>> 13);
  }
  return hex(first) + hex(second);
}

function hex(value: number): string {
  return (value >>> 0).toString(16).padStart(8, '0');
}
