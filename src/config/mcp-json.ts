/**
 * Reads JSON as editors write it: with `//` and `/* *\/` comments and commas before a closing bracket. Both are replaced
 * by spaces, so that positions in error messages stay those of the file.
 */
export function parseCommentedJson(text: string): unknown {
  return JSON.parse(withoutTrailingCommas(withoutComments(text.replace(/^\uFEFF/u, ' '))));
}

/** Strings are matched first, so that what looks like a comment inside one is left alone. */
const STRING_OR_COMMENT = /"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//gu;
const STRING_OR_COMMA = /"(?:[^"\\\n]|\\.)*"|,(?=\s*[\]}])/gu;

function withoutComments(text: string): string {
  return text.replaceAll(STRING_OR_COMMENT, (found) => (found.startsWith('"') ? found : blank(found)));
}

function withoutTrailingCommas(text: string): string {
  return text.replaceAll(STRING_OR_COMMA, (found) => (found.startsWith('"') ? found : ' '));
}

function blank(text: string): string {
  return text.replaceAll(/[^\n]/gu, ' ');
}
