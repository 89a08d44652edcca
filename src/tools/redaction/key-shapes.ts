/** Puts another text in place of what was found; gives it back unchanged when it is no secret after all. */
export type Replace = (found: string, kind: string) => string;

/**
 * Keys that can be told by how they begin. Each part after the beginning is as long as it can be and fails only when it
 * is too short, so the expression looks at no character more than a few times, whatever the text is.
 */
const TOKENS = new RegExp(
  [
    String.raw`sk-[\w-]{20,}`,
    String.raw`[rsp]k_(?:live|test)_\w{16,}`,
    String.raw`whsec_[\w+/=]{20,}`,
    String.raw`A(?:KI|SI|BI|CC)A[A-Z0-9]{16}\b`,
    String.raw`gh[pousr]_\w{30,}`,
    String.raw`github_pat_\w{22,}`,
    String.raw`gl(?:pat|dt|rt|cbt|ptt|ft|oas|soat|agent|imt)-[\w.-]{20,}`,
    String.raw`xox[a-z]-[\w-]{10,}`,
    String.raw`xapp-\d-[\w-]{10,}`,
    String.raw`hooks\.slack\.com/services/[\w/]{20,}`,
    String.raw`AIza[\w-]{35}`,
    String.raw`ya29\.[\w-]{20,}`,
    String.raw`GOCSPX-[\w-]{20,}`,
    String.raw`npm_[A-Za-z0-9]{36}`,
    String.raw`pypi-[\w-]{50,}`,
    String.raw`SG\.[\w-]{16,64}\.[\w-]{16,}`,
    String.raw`hf_[A-Za-z0-9]{30,}`,
    String.raw`do[opr]_v1_[a-f0-9]{60,}`,
    String.raw`shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}`,
    String.raw`hv[sbr]\.[\w-]{24,}`,
    String.raw`AGE-SECRET-KEY-1[A-Z0-9]{50,}`,
    // Parts are counted afterwards: an expression that demands them would read a long first part again and again.
    String.raw`eyJ[\w-]{10,}(?:\.[\w-]*){0,4}`,
  ]
    .map((shape) => `(?:${shape})`)
    .join('|')
    .replace(/^/, String.raw`\b(?:`)
    .concat(')'),
  'g',
);

const KINDS: readonly [start: string, kind: string][] = [
  ['sk-ant-', 'Anthropic key'],
  ['sk-', 'API key'],
  ['sk_', 'Stripe key'],
  ['rk_', 'Stripe key'],
  ['pk_', 'Stripe key'],
  ['whsec_', 'Stripe secret'],
  ['AKIA', 'AWS key'],
  ['ASIA', 'AWS key'],
  ['ABIA', 'AWS key'],
  ['ACCA', 'AWS key'],
  ['gh', 'GitHub token'],
  ['gl', 'GitLab token'],
  ['xox', 'Slack token'],
  ['xapp', 'Slack token'],
  ['hooks.slack', 'Slack hook'],
  ['AIza', 'Google key'],
  ['ya29', 'Google token'],
  ['GOCSPX', 'Google secret'],
  ['npm_', 'npm token'],
  ['pypi-', 'PyPI token'],
  ['SG.', 'SendGrid key'],
  ['hf_', 'Hugging Face token'],
  ['do', 'DigitalOcean token'],
  ['shp', 'Shopify token'],
  ['hv', 'Vault token'],
  ['AGE', 'age key'],
  ['eyJ', 'JWT'],
];

export function replaceTokens(text: string, replace: Replace): string {
  return text.replaceAll(TOKENS, (found) => {
    if (found.startsWith('eyJ') && !isJwt(found)) return found;
    // Names in style sheets begin like some keys, but are not random.
    if (found.startsWith('sk-') && !(/\d/.test(found) && /[A-Z]/.test(found))) return found;
    return replace(found, KINDS.find(([start]) => found.startsWith(start))?.[1] ?? 'key');
  });
}

/** Signed ones have three parts, encrypted ones five, of which some may be empty. */
function isJwt(found: string): boolean {
  const parts = found.replace(/\.+$/, '').split('.');
  return parts.length >= 3 && (parts[1] ?? '').length + (parts[3] ?? '').length >= 8;
}

const PEM_BEGIN = '-----BEGIN ';
const PEM_TITLE = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y;
const PEM_END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
/** What a key consists of that was cut off, also as it is written in JSON. */
const PEM_BODY = /[\w+/=:,.\s\\]*/y;

/** Private keys in blocks. Done step by step, since an expression over both ends would look for a missing end anew each time. */
export function replacePrivateKeys(text: string, replace: Replace): string {
  let kept = '';
  let from = 0;
  let hasEnd = true;
  for (let begin = text.indexOf(PEM_BEGIN); begin >= 0; begin = text.indexOf(PEM_BEGIN, Math.max(from, begin + 1))) {
    PEM_TITLE.lastIndex = begin;
    if (!PEM_TITLE.test(text)) continue;
    PEM_END.lastIndex = PEM_TITLE.lastIndex;
    hasEnd &&= PEM_END.test(text);
    PEM_BODY.lastIndex = PEM_TITLE.lastIndex;
    PEM_BODY.test(text);
    const end = hasEnd ? PEM_END.lastIndex : PEM_BODY.lastIndex;
    kept += text.slice(from, begin) + replace(text.slice(begin, end), 'private key');
    from = end;
  }
  return kept + text.slice(from);
}
