import { describe, expect, test } from 'vitest';
import { secretsOf } from '../../../src/tools/redaction/redaction.ts';

const hex = (length: number): string => '0f1e2d3c4b5a6978'.repeat(Math.ceil(length / 16)).slice(0, length);

describe('the secrets of an environment', () => {
  const secret = 'v4lue-of-it';
  test.each(
    `ANTHROPIC_API_KEY OPENAI_API_KEY GITHUB_TOKEN NPM_TOKEN DB_PASSWORD PGPASSWORD MYSQL_PWD DB_PASS AWS_SECRET_ACCESS_KEY
     SECRET_KEY_BASE CLIENT_SECRET SSH_KEY_PASSPHRASE HTTP_AUTH SESSION_COOKIE SENTRY_DSN GITLAB_PAT CREDENTIALS APIKEY
     MY_APIKEY npm_config__authToken JWT_SALT ENCRYPTION_KEYS AUTH_HEADER AWS_SESSION_TOKEN TOKEN1`.split(/\s+/),
  )('hold the value of %s', (name) => {
    expect(secretsOf({ [name]: secret })).toEqual([secret]);
  });

  test.each([
    ['PWD', '/home/me/project'],
    ['OLDPWD', '/home/me/other'],
    ['SSH_AUTH_SOCK', '/tmp/ssh-abc/agent.123'],
    ['XAUTHORITY', '/home/me/.Xauthority'],
    ['KEYBOARD', 'pc105-layout'],
    ['KEYMAP', 'us-international'],
    ['GOOGLE_CREDENTIALS_FILE', '/etc/google/key.json'],
    ['GOOGLE_APPLICATION_CREDENTIALS', '/etc/google/key.json'],
    ['SSH_KEY_PATH', '~/.ssh/id_ed25519'],
    ['GIT_ASKPASS', '/usr/bin/askpass'],
    ['TOKENIZERS_PARALLELISM', 'disabled'],
    ['CLAUDE_CODE_MAX_OUTPUT_TOKENS', '32000000'],
    ['TOKEN_LIMIT', '1000000'],
    ['AUTH_METHOD', 'password-and-code'],
    ['AUTH_ENABLED', 'enabled'],
    ['OAUTH_TOKEN_URL', 'https://login.example.com/token'],
    ['PUBLIC_KEY', 'ssh-ed25519 AAAAC3'],
    ['AUTHOR', 'Somebody Else'],
    ['PATH', '/usr/bin:/bin'],
    ['HOME', '/home/somebody'],
    ['MONKEY', 'bananas-please'],
    ['TOKEN', 'short'],
    ['TOKEN', ''],
    ['SECRET', undefined],
    ['HTTP_PROXY', 'http://proxy.example.com:8080'],
    ['DATABASE_URL', 'postgres://app@db/x'],
  ])('do not hold %s=%s', (name, harmless) => {
    expect(secretsOf({ [name]: harmless })).toEqual([]);
  });

  test.each([
    ['DATABASE_URL', 'postgres://app:hunt%40er22@db/x', ['hunt%40er22', 'hunt@er22']],
    ['HTTPS_PROXY', 'http://me:hunter22@proxy:8080', ['hunter22']],
    ['SENTRY_DSN', `https://${hex(32)}@sentry.example.com/1`, [`https://${hex(32)}@sentry.example.com/1`, hex(32)]],
    ['PIN_PASSWORD', '12345678', ['12345678']],
    ['SIGNING_KEY', '/x8Aq/9Zk1Lm2Np3', ['/x8Aq/9Zk1Lm2Np3']],
  ])('hold what is secret in %s=%s', (name, held, expected) => {
    expect(secretsOf({ [name]: held })).toEqual(expected);
  });
});
