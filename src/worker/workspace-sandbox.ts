import type { Sandbox } from '../tools/sandbox/sandbox.ts';

export interface WorkspaceSandboxOptions {
  /** What commands may reach where a workspace does not say less. */
  readonly allowedDomains: readonly string[];
  readonly domainsOf: (root: string) => Promise<readonly string[]>;
  readonly create: (allowedDomains: readonly string[]) => Sandbox;
}

/** One sandbox for all workspaces, in each of which only what its own settings leave can be reached. */
export function sandboxByWorkspace({ allowedDomains, domainsOf, create }: WorkspaceSandboxOptions): Sandbox {
  const widest = create(allowedDomains);
  const made = new Map([[nameOf(allowedDomains), widest]]);
  const sandboxOf = async (root: string): Promise<Sandbox> => {
    const domains = await domainsOf(root);
    const known = made.get(nameOf(domains)) ?? create(domains);
    made.set(nameOf(domains), known);
    return known;
  };
  return {
    allowedDomains,
    async problem(root) {
      try {
        return await (await sandboxOf(root)).problem(root);
      } catch (error) {
        return error instanceof Error ? error.message : String(error);
      }
    },
    selfTest: async () => await widest.selfTest(),
    run: async (command) => await (await sandboxOf(command.cwd)).run(command),
    async close() {
      await Promise.all([...made.values()].map(async (sandbox) => await sandbox.close()));
    },
  };
}

function nameOf(domains: readonly string[]): string {
  return JSON.stringify(domains.toSorted());
}
