import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRedactor } from '../../../src/tools/redaction/redaction.ts';

// Put together here, so that no scanner takes this file for a leak.
const mixed = (length: number): string => 'aB3dE5gH7jK9mN1pQ'.repeat(Math.ceil(length / 17)).slice(0, length);
const hex = (length: number): string => '0f1e2d3c4b5a6978'.repeat(Math.ceil(length / 16)).slice(0, length);
const jwt = ['eyJhbGciOiJIUzI1NiJ9', 'eyJzdWIiOiIxMjM0NTY3ODkwIn0', 'dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U'].join(
  '.',
);
const pem = (title: string): string => `-----BEGIN ${title}-----\n${`${mixed(64)}\n`.repeat(5)}-----END ${title}-----`;

const { text, counted, value } = createRedactor({ secrets: [] });

describe('the shape of a key', () => {
  const keys: [kind: string, key: string][] = [
    ['Anthropic', `sk-ant-api03-${mixed(93)}`],
    ['OpenAI', `sk-${mixed(48)}`],
    ['OpenAI project', `sk-proj-${mixed(20)}_${mixed(20)}-${mixed(20)}`],
    ['AWS', `AKIA${mixed(16).toUpperCase()}`],
    ['AWS for a session', `ASIA${mixed(16).toUpperCase()}`],
    ...['ghp', 'gho', 'ghu', 'ghs', 'ghr'].map((start): [string, string] => [
      `GitHub ${start}`,
      `${start}_${mixed(36)}`,
    ]),
    ['GitHub fine-grained', `github_pat_${mixed(22)}_${mixed(59)}`],
    ['GitLab', `glpat-${mixed(20)}`],
    ['Slack bot', `xoxb-123456789012-1234567890123-${mixed(24)}`],
    ['Slack app', `xapp-1-A0123456789-1234567890123-${hex(64)}`],
    ['Slack hook', `hooks.slack.com/services/T00000000/B00000000/${mixed(24)}`],
    ['Stripe', `sk_live_${mixed(24)}`],
    ['Stripe restricted', `rk_test_${mixed(24)}`],
    ['Stripe hook', `whsec_${mixed(32)}`],
    ['Google', `AIza${mixed(35)}`],
    ['Google access', `ya29.${mixed(60)}`],
    ['npm', `npm_${mixed(36)}`],
    ['PyPI', `pypi-AgEIcHlwaS5vcmc${mixed(60)}`],
    ['SendGrid', `SG.${mixed(22)}.${mixed(43)}`],
    ['Hugging Face', `hf_${mixed(34)}`],
    ['DigitalOcean', `dop_v1_${hex(64)}`],
    ['Shopify', `shpat_${hex(32)}`],
    ['Vault', `hvs.${mixed(30)}`],
    ['age', `AGE-SECRET-KEY-1${'QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L'.repeat(2).slice(0, 58)}`],
    ['JWT', jwt],
    ['private key', pem('PRIVATE KEY')],
    ['private key of OpenSSH', pem('OPENSSH PRIVATE KEY')],
    ['private key of PGP', pem('PGP PRIVATE KEY BLOCK')],
    ['private key in JSON', JSON.stringify(pem('RSA PRIVATE KEY')).slice(1, -1)],
    ['private key that is cut off', `-----BEGIN RSA PRIVATE KEY-----\n${mixed(64)}\n${mixed(64)}`],
  ];
  const places: ((key: string) => string)[] = [
    (key) => key,
    (key) => `before ${key} after`,
    (key) => `"${key}"`,
    (key) => `KEY=${key}\nnext`,
    (key) => `https://example.com/?key=${key}&x=1`,
    (key) => `{"a":"${key}"}`,
  ];
  test.each(keys)('%s is taken out wherever it stands', (_kind, key) => {
    for (const place of places) {
      const redacted = counted(place(key));
      expect(redacted.text).toMatch(/\[redacted: [\w ]+\]/);
      expect(redacted.text).not.toContain(key.slice(-12));
      expect(redacted.count).toBe(1);
      expect(text(redacted.text)).toBe(redacted.text);
    }
    expect(text(`before ${key} after`)).toMatch(
      /^before \[redacted: [\w ]+\] after$|^before \[redacted: private key\]/,
    );
  });
});

describe('a credential', () => {
  test.each([
    ['https://user:hunter22@example.com/x', 'https://user:[redacted: password]@example.com/x'],
    ['postgres://app:s3cr%40t@db:5432/x?y', 'postgres://app:[redacted: password]@db:5432/x?y'],
    ['redis://:hunter22@cache:6379', 'redis://:[redacted: password]@cache:6379'],
    ['Authorization: Bearer abc.DEF-123_456', 'Authorization: Bearer [redacted: authorization]'],
    ['authorization: Basic dXNlcjpwYXNz', 'authorization: Basic [redacted: authorization]'],
    [`-H "Authorization: token ${hex(40)}"`, '-H "Authorization: token [redacted: authorization]"'],
    [`{"Authorization":"Bearer ${mixed(30)}"}`, '{"Authorization":"Bearer [redacted: authorization]"}'],
    [`curl: bearer ${mixed(30)}`, 'curl: bearer [redacted: authorization]'],
    ['password=hunter22', 'password=[redacted: value]'],
    ['DB_PASSWORD="hunter22!"', 'DB_PASSWORD="[redacted: value]"'],
    ["password: 'Tr0ub4dor&3'", "password: '[redacted: value]'"],
    ['{"password":"hunter22","user":"me"}', '{"password":"[redacted: value]","user":"me"}'],
    [String.raw`"{\"password\":\"hunter22\"}"`, String.raw`"{\"password\":\"[redacted: value]\"}"`],
    [`api_key: ${mixed(32)}`, 'api_key: [redacted: value]'],
    [`X-Api-Key: ${hex(32)}`, 'X-Api-Key: [redacted: value]'],
    [`?access_token=${mixed(20)}&page=2`, '?access_token=[redacted: value]&page=2'],
    [`aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYABCDEFGHIJ`, 'aws_secret_access_key = [redacted: value]'],
    [`client_secret := "${mixed(30)}"`, 'client_secret := "[redacted: value]"'],
    [`--token ${mixed(30)} --verbose`, '--token [redacted: value] --verbose'],
    [`AccountKey=${mixed(86)}==;EndpointSuffix=x`, 'AccountKey=[redacted: value];EndpointSuffix=x'],
    [`"private_key" => "${mixed(40)}"`, '"private_key" => "[redacted: value]"'],
  ])('in %s is taken out', (before, after) => {
    expect(text(before)).toBe(after);
    expect(text(after)).toBe(after);
  });
});

describe('what only looks like a secret stays', () => {
  test.each([
    'commit 8b048c53f2a1d4e5b6c7a8091f2e3d4c5b6a7980',
    'index 8b048c5..c9261b9 100644',
    'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    'id: 3f2504e0-4f89-11d3-9a0c-0305e82c3301',
    'integrity sha512-v2kDEe57lecTulaDIuNTPy3Ry4gLGJ6Z1O3vE1krgXZNrsQ+LFTGHVxVjcXPs17LhbZVGedAJv8XZ1tvj5FvSg==',
    `data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==`,
    'apiKey: process.env.OPENAI_API_KEY,',
    'const apiKey = config.get("apiKey");',
    'token = await getToken();',
    'const token = response.data.access_token;',
    'password: string;',
    'password: z.string().min(8),',
    'password = os.environ["DB_PASSWORD"]',
    'API_KEY=$OPENAI_API_KEY',
    'API_KEY=${{ secrets.OPENAI_API_KEY }}',
    'token: ${GITHUB_TOKEN}',
    'password: <your password here>',
    'API_KEY=your-api-key-1234',
    'PASSWORD=changeme1',
    'password: ********',
    '"password": "required|string|min:8"',
    'if (password === confirmation) return;',
    'passwordHash = hash(password, salt)',
    'secretName: my-app-tls-2',
    'secret: my-app-tls-2',
    'tokenizer = "cl100k_base"',
    'max_tokens: 4096',
    '"max_tokens": 100000000,',
    'nextPageToken: "CAUQAA1234567890abcdefXYZ"',
    '?page_token=CAUQAA1234567890abcdefXYZ',
    'csrf_token: 1234567890abcdefXYZabc',
    'token_count=12345678',
    'keyboard: qwerty',
    'The key: 42 is the answer',
    'primaryKey: "id"',
    'foreign_key: users.id1',
    'tokens: 12,345 in, 678 out',
    'Bearer authentication is required',
    'bearer of bad news',
    'Basic understanding of Authorization: it depends',
    'https://example.com:8080/path@2x.png',
    'https://user@example.com/',
    'postgres://user:password@localhost/db',
    'postgres://$USER:$PASS@localhost/db',
    'git@github.com:owner/repo.git',
    'npm install npm_package_name_that_is_long',
    'class="sk-loading-container-for-widgets sk-circle"',
    'task-list-item-checkbox-with-long-name',
    'eyJhbGciOiJIUzI1NiJ9',
    '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----',
    '-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----',
    'private_key_path: /etc/ssl/private/server1.key',
    'token: src/tools/token1.ts',
    'export type Secret = { readonly token: AccessToken2 };',
    "import { createToken } from './token.ts';",
    'Password123 is a bad password',
    'password: "Please enter your Passw0rd"',
    'secret: true',
  ])('%s', (harmless) => {
    expect(text(harmless)).toBe(harmless);
    expect(counted(harmless).count).toBe(0);
  });
});

describe('a known secret', () => {
  const secret = 'p+ss/w rd"é\\1';
  const known = createRedactor({
    secrets: [secret, 'abcdef', 'abcdefghij', 'short', `first line is here ${hex(9)}\nsecond line of it ${hex(9)}`],
  });
  const gone = (form: string): void => {
    expect(known.text(`x ${form} y`)).toMatch(/^x .{0,3}\[redacted: known secret\].{0,4} y$/);
  };

  test('is taken out in every form', () => {
    const forms = [
      secret,
      JSON.stringify(secret).slice(1, -1),
      encodeURIComponent(secret),
      encodeURIComponent(secret).toLowerCase().replace('%c3%a9', '%c3%a9'),
      ...['', 'a', 'ab', 'abc'].flatMap((before) => {
        const bytes = Buffer.from(`${before}${secret}`);
        return [bytes.toString('base64'), bytes.toString('base64url')];
      }),
    ];
    for (const form of forms) {
      const redacted = known.text(`x ${form} y`);
      expect([form, redacted]).toEqual([form, expect.stringContaining('[redacted: known secret]') as string]);
    }
    gone(secret);
    gone(encodeURIComponent(secret));
  });

  test('is taken out whole when another one begins it, and by its lines', () => {
    expect(known.text('abcdefghij')).toBe('[redacted: known secret]');
    expect(known.text('abcdef')).toBe('[redacted: known secret]');
    expect(known.text(`1: second line of it ${hex(9)}`)).toBe('1: [redacted: known secret]');
  });

  test('of a few characters stays, because it stands everywhere', () => {
    expect(known.text('a short word')).toBe('a short word');
    expect(createRedactor({ secrets: ['', 'a', ' '] }).text('a a')).toBe('a a');
  });

  test('is never left in a text, whatever it is and whatever stands around it', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 6, maxLength: 40 }), fc.string(), fc.string(), (given, before, after) => {
        // With brackets it could come about anew where a mark meets the rest of the text.
        fc.pre(given.trim().length >= 6 && !/[[\]]/.test(given) && !'[redacted: known secret]'.includes(given));
        const { text: clean } = createRedactor({ secrets: [given] });
        expect(clean(`${before}${given}${after}`).includes(given)).toBe(false);
      }),
    );
  });

  test('counts', () => {
    expect(known.counted(`${secret} ${secret} ghp_${mixed(36)}`).count).toBe(3);
  });
});

describe('a value', () => {
  test('is redacted in all its strings, and keeps its keys', () => {
    const token = `ghp_${mixed(36)}`;
    expect(
      value({ a: [1, null, true, token], password: 'hunter22', [token]: 'x', nested: { apiKey: hex(32) } }),
    ).toEqual({
      a: [1, null, true, '[redacted: GitHub token]'],
      password: '[redacted: value]',
      [token]: 'x',
      nested: { apiKey: '[redacted: value]' },
    });
  });

  test('without secrets is the very same value, and so is every part of one with secrets', () => {
    const harmless = { a: [{ b: 'text' }], nextPageToken: 'CAUQAA1234567890abcdefXYZ', n: 1 };
    expect(value(harmless)).toBe(harmless);
    const redacted = value({ harmless, token: `ghp_${mixed(36)}` }) as { harmless: unknown };
    expect(redacted.harmless).toBe(harmless);
  });

  test('that nests without end is cut', () => {
    let deep: unknown = 'x';
    for (let level = 0; level < 100_000; level += 1) deep = [deep];
    expect(JSON.stringify(value(deep))).toContain('[redacted: nested too deep]');
  });
});
