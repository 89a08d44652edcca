import {
  ClientCredentialsProvider,
  PrivateKeyJwtProvider,
  type OAuthClientProvider,
  type StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import type { McpAuth } from '../contract/mcp-server.ts';

const CLIENT_NAME = 'nightshift';

/** Makes what gets tokens for a server, and tells each token it gets, which is a secret like any other. */
export function createAuthProvider(auth: McpAuth, onSecret: (secret: string) => void): OAuthClientProvider {
  const provider = providerOf(auth);
  const save = provider.saveTokens.bind(provider);
  provider.saveTokens = (tokens: StoredOAuthTokens) => {
    onSecret(tokens.access_token);
    if (tokens.refresh_token !== undefined) onSecret(tokens.refresh_token);
    save(tokens);
  };
  return provider;
}

function providerOf(auth: McpAuth): ClientCredentialsProvider | PrivateKeyJwtProvider {
  const { clientId, scope, issuer } = auth;
  const common = {
    clientId,
    clientName: CLIENT_NAME,
    ...(scope !== undefined && { scope }),
    ...(issuer !== undefined && { expectedIssuer: issuer }),
  };
  return auth.type === 'client_credentials'
    ? new ClientCredentialsProvider({ ...common, clientSecret: auth.clientSecret })
    : new PrivateKeyJwtProvider({ ...common, privateKey: auth.privateKey, algorithm: auth.algorithm });
}
