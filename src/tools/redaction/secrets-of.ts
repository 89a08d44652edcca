import type { Environment } from '../shell/call-environment.ts';
import { SECRET_CHARACTERS_MIN } from './known-secrets.ts';

/** Names of variables that hold secrets: by a word anywhere, by a whole part, by the end. */
const SECRET_NAME =
  /SECRET|TOKEN|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|APIKEY|COOKIE|(?:^|_)(?:KEYS?|AUTH|PASS|PWD|DSN|PAT|SALT)(?:_|$)|[A-Z](?:PASS|DSN|API_?KEY)$/;

/** Names that say where or what kind a secret is, not the secret; and counts of tokens. */
const HARMLESS_NAME =
  /^(?:OLD)?PWD$|(?:^|_)(?:SOCK|SOCKET|PATH|FILE|DIR|HOME|NAME|USER|USERNAME|ID|TYPE|ALGORITHM|METHOD|MODE|LENGTH|SIZE|TTL|TIMEOUT|EXPIRY|LIMIT|URL|URI|HOST|PORT|REGION|ENABLED|PARALLELISM|SOURCE|VERSION|BACKEND|PROVIDER|HELPER|ASKPASS|PUBLIC_KEY)$|MAX_.*TOKENS|PUBLIC_KEY/;

/** Values that stand in ordinary text. */
const HARMLESS_VALUE =
  /^(?:true|false|yes|no|none|null|undefined|enabled|disabled|default|required|optional|always|never|basic|bearer|oauth2?|production|development|localhost)$/i;

/**
 * What to hide of an environment: values of variables whose names say that they are secret, and the passwords inside
 * addresses. Short values stand in every text, so they are left out.
 */
export function secretsOf(environment: Environment): readonly string[] {
  const secrets = new Set<string>();
  for (const [name, value] of Object.entries(environment)) {
    for (const secret of value === undefined ? [] : secretsIn(name.toUpperCase(), value)) {
      if (secret.length >= SECRET_CHARACTERS_MIN) secrets.add(secret);
    }
  }
  return [...secrets];
}

function secretsIn(name: string, value: string): readonly string[] {
  const passwords = [...passwordsOf(value)];
  if (!SECRET_NAME.test(name) || HARMLESS_NAME.test(name)) return passwords;
  return isHarmless(name, value) ? passwords : [value, ...passwords];
}

function isHarmless(name: string, value: string): boolean {
  if (HARMLESS_VALUE.test(value.trim())) return true;
  // A number is a count or a port, unless it is a password.
  if (/^\d{1,11}$/.test(value)) return !/PASS|PWD|SECRET/.test(name);
  // A path is where a secret lies; the secret itself may begin with a slash, but holds no other that names folders.
  return /^(?:\.{0,2}|~)\/[\w.-]+(?:\/[\w.@ -]+)+\/?$/.test(value) && !/\d.*[A-Z]|[A-Z].*\d/.test(value);
}

/** The password in an address of any scheme; and a long user name without one, as in the addresses of error trackers. */
function passwordsOf(value: string): readonly string[] {
  const found = /^[a-z][a-z0-9+.-]{0,30}:\/\/([^\s/@:]*)(?::([^\s@]*))?@/i.exec(value);
  if (found === null) return [];
  const [, user = '', password] = found;
  const secret = password ?? (user.length >= 16 ? user : '');
  return [secret, decoded(secret)];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
