/** Shorter values stand in ordinary text by chance. */
export const SECRET_CHARACTERS_MIN = 6;

/** A line of a secret of several lines counts by itself when it is as long as this. */
const LINE_CHARACTERS_MIN = 20;

/** Less of base64 stands in other base64 by chance. */
const BASE64_CHARACTERS_MIN = 8;

/**
 * An expression that finds the secrets in a text, as they are and as they are commonly written: in URLs, in JSON, in
 * base64 also when something stands before them, as in `user:secret`. Undefined without secrets.
 */
export function secretFinder(secrets: readonly string[]): RegExp | undefined {
  const forms = new Set<string>();
  for (const secret of secrets.flatMap(withLines)) {
    for (const form of plainForms(secret)) forms.add(escaped(form));
    for (const core of base64Cores(secret)) forms.add(`${escaped(core)}[\\w+/-]{0,3}={0,2}`);
  }
  if (forms.size === 0) return undefined;
  // The longest first, so that a secret that begins with another one is taken out whole.
  const longestFirst = [...forms].toSorted((a, b) => b.length - a.length);
  return new RegExp(longestFirst.join('|'), 'g');
}

function withLines(secret: string): readonly string[] {
  const lines = secret.split(/\r?\n/).map((line) => line.trim());
  const parts = lines.length > 1 ? lines.filter((line) => line.length >= LINE_CHARACTERS_MIN) : [];
  return [secret, secret.trim(), ...parts].filter((part) => part.length >= SECRET_CHARACTERS_MIN);
}

function plainForms(secret: string): readonly string[] {
  const inJson = JSON.stringify(secret).slice(1, -1);
  const inUrl = encodeURIComponent(Buffer.from(secret).toString());
  const lowerCase = inUrl.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
  return [secret, inJson, inUrl, lowerCase, inUrl.replaceAll('%20', '+')];
}

/** The characters of base64 that only the secret decides, for the three ways in which it can be aligned. */
function base64Cores(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  return [0, 1, 2].flatMap((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes]);
    const start = Math.ceil((before * 8) / 6);
    const end = Math.floor((whole.length * 8) / 6);
    const core = whole.toString('base64').slice(start, end);
    if (core.length < BASE64_CHARACTERS_MIN) return [];
    return [core, core.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
}
