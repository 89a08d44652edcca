import type { CheckedCall } from '../../contract/activities.ts';
import type { RunSpec, ToolOrigin } from '../../contract/spec.ts';
import type { ToolCall } from '../../contract/tool-calls.ts';
import type { JudgedCall } from './policy.ts';

export interface JudgedMatter {
  readonly input: unknown;
  readonly check: Pick<CheckedCall, 'touches' | 'unconfined'> | undefined;
}

/** What the policy looks at, from what the spec says of the tool and the worker found out about the call. */
export function judgedCall(
  spec: Pick<RunSpec, 'tools'>,
  { tool, effect }: Pick<ToolCall, 'tool' | 'effect'>,
  { input, check }: JudgedMatter,
): JudgedCall {
  const definition = spec.tools.find(({ name }) => name === tool);
  return {
    tool,
    effect,
    input,
    ...(check?.touches !== undefined && { touches: check.touches }),
    ...(check?.unconfined !== undefined && { unconfined: check.unconfined }),
    ...originOf(definition?.origin),
    ...(definition?.own === true && { private: true as const }),
  };
}

/** A tool of the API itself is never called here, so there is nothing to judge. */
function originOf(origin: ToolOrigin | undefined): Pick<JudgedCall, 'origin'> {
  return origin === undefined || origin.kind === 'api' ? {} : { origin: origin.kind };
}
