import { oneLine, quoted } from '../one-line.ts';
import { ToolError } from '../tool.ts';

/** Longer addresses are refused by most servers; what is longer carries something out rather than asks for something. */
export const ADDRESS_CHARACTERS_MAX = 2_000;

/** Names that mean this machine or its network, whatever a name server says. */
const HERE = /(?:^|\.)(?:localhost|localdomain|local|internal|intranet|lan|home\.arpa)$/;

/**
 * Reads the address of a page. The URL parser forgives much (spaces around, line ends within, backslashes), so that
 * what people read is not what is asked for; here it must be what it looks like. Throws `ToolError`.
 */
export function pageAddress(text: string): URL {
  const attempt = `Cannot fetch ${quoted(text)}`;
  const refuse = (reason: string): ToolError => new ToolError('invalid_params', `${attempt}: ${reason}`);
  if (text.length > ADDRESS_CHARACTERS_MAX) throw refuse(`the address is longer than ${ADDRESS_CHARACTERS_MAX}`);
  if (/[\s\p{Cc}\p{Cf}\\]/u.test(text)) throw refuse('the address holds white space, a backslash or hidden characters');
  if (!/^https?:\/\//i.test(text)) throw refuse('only addresses that begin with http:// or https:// are fetched');
  const url = parsed(text);
  if (url === undefined) throw refuse('it is no valid address');
  if (url.username !== '' || url.password !== '' || text.slice(0, text.indexOf('/', 8)).includes('@'))
    throw new ToolError('invalid_params', `Cannot fetch a page of ${hostOf(url)}: the address holds credentials`);
  if (HERE.test(hostOf(url))) throw notPublic(url);
  return url;
}

/** Host name or address in lower case, without brackets and the dot that may end a name. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

export function notPublic(url: URL): ToolError {
  return new ToolError(
    'permission_denied',
    `Cannot fetch "${oneLine(url.href, 200)}": ${hostOf(url)} is not on the public internet`,
  );
}

function parsed(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
