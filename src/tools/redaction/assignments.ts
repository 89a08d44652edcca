import type { Replace } from './key-shapes.ts';

/** Names of things that are secret by their kind, at the end of a longer name or alone. */
const NAME =
  'passw(?:or)?d|passphrase|pwd|secret(?:[_-]?(?:access[_-]?)?key)?|token|(?:api|access|auth|private|encryption|signing|account)[_-]?key|connection[_-]?string|credentials?';

const VALUE = String.raw`(?:"([^"\s\\]{6,500})(?=["\\])|'([^'\s\\]{6,500})(?=['\\])|([^\s"'\`,;()[\]{}<>$&|]{6,500}))`;

/** `name = value` in the ways of settings files, code, JSON, YAML, URLs and command lines. */
const ASSIGNMENT = new RegExp(
  String.raw`(${NAME})\\?["'\]]{0,2}(?:\s{0,3}(?::=|=>|[:=])\s{0,3}|(?<=--[\w-]{1,60})\s)\\?${VALUE}`,
  'gi',
);

const WHOLE_NAME = new RegExp(`(?:${NAME})$`, 'i');

/** Tokens that are no keys but places in lists, and counts of tokens. */
const HARMLESS_NAME = /(?:page|next|continuation|continue|cursor|sync|csrf|xsrf|max|min)[_-]?$/i;

export function replaceAssignments(text: string, replace: Replace): string {
  return text.replaceAll(ASSIGNMENT, (found: string, name: string, ...rest: unknown[]) => {
    const [inDouble, inSingle, bare, offset] = rest as [string?, string?, string?, number?];
    const quoted = inDouble ?? inSingle;
    const value = quoted ?? bare ?? '';
    const before = text.slice(Math.max(0, (offset ?? 0) - 15), offset);
    if (HARMLESS_NAME.test(before) || HARMLESS_NAME.test(name.replace(/token$/i, ''))) return found;
    if (!looksSecret(value, name)) return found;
    const at = found.lastIndexOf(value);
    return found.slice(0, at) + replace(value, 'value') + found.slice(at + value.length);
  });
}

/** Whether the value of a member of this name is one to hide. */
export function isSecretMember(name: string, value: string): boolean {
  return WHOLE_NAME.test(name) && !HARMLESS_NAME.test(name.replace(/token$/i, '')) && looksSecret(value, name);
}

const PLACEHOLDER =
  /^(?:[x*.•#-]+$|.{0,3}your|example|placeholder|change|redacted|dummy|<|%|\{|\$|\[)|example$|\.\.\.|…|\|/i;

/** Names, member accesses and calls of code, paths and files, versions. */
const CODE = /^(?:[A-Za-z_$][\w$]*(?:[.:!?/-]+[A-Za-z_$][\w$]*|\[\w*\])*[!?.;]*|[./~].*\/.*|v?\d+(?:[.:-]\d+)*)$/;

/**
 * Guesses by the look of it, and rather lets a secret through than hide what the model needs: a value of one kind of
 * characters is a word, a type or a number. Passwords need two kinds, keys three or some length.
 */
function looksSecret(value: string, name: string): boolean {
  if (PLACEHOLDER.test(value)) return false;
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^\w.:/-]/].filter((kind) => kind.test(value)).length;
  if (kinds < 2) return false;
  // A name may hold digits, but hardly both cases and digits mixed as in a key.
  if (CODE.test(value) && (kinds < 3 || value.length < 20 || /[.]\w*[.]/.test(value)))
    return isPassword(name) && isMixed(value);
  return isPassword(name) || kinds >= 3 || value.length >= 20;
}

function isPassword(name: string): boolean {
  return /passw|pwd|phrase/i.test(name);
}

/** Letters and digits, and no path through an object. */
function isMixed(value: string): boolean {
  return /\d/.test(value) && /[A-Za-z]/.test(value) && !/[.(]/.test(value);
}

/** The password of a URL. What stands around it is bounded, so that many beginnings without an end cost little. */
const USERINFO = /(:\/\/[^\s/?#@:"'`<>]{0,100}:)([^\s/?#@"'`<>]{1,300})(?=@)/g;

const HEADER = /(authorization\\?["']?\s{0,3}[:=]\s{0,3}\\?["']?(?:([a-z]{3,12})\s+)?)([^\s"'\\,;$<{]{6,})/gi;
const BEARER = /(\bbearer\s{1,3})([\w.~+/-]{16,}=*)/gi;

export function replaceCredentials(text: string, replace: Replace): string {
  return text
    .replaceAll(USERINFO, (found, before: string, password: string) =>
      PLACEHOLDER.test(password) || /^passw(?:or)?d$/i.test(password) ? found : before + replace(password, 'password'),
    )
    .replaceAll(HEADER, (found, before: string, ...rest: unknown[]) => {
      const [scheme = '', value = ''] = rest as [string?, string?];
      const isWord = CODE.test(value) && !/^(?:basic|bearer|token)$/i.test(scheme);
      return PLACEHOLDER.test(value) || isWord ? found : before + replace(value, 'authorization');
    })
    .replaceAll(BEARER, (found, before: string, value: string) =>
      /\d/.test(value) ? before + replace(value, 'authorization') : found,
    );
}
