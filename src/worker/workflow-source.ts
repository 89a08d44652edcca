import { extname, join } from 'node:path';

/** The workflow code: bundled when it was built, or else from where it lies beside this file, in source as in the build. */
export function workflowSource(
  bundlePath: string | undefined,
): { readonly workflowsPath: string } | { readonly workflowBundle: { readonly codePath: string } } {
  if (bundlePath !== undefined) return { workflowBundle: { codePath: bundlePath } };
  return { workflowsPath: join(import.meta.dirname, '..', 'workflows', `index${extname(import.meta.filename)}`) };
}
