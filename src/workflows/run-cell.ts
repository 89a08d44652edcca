import type { Run } from '../core/run.ts';

/** The run as one cell: handlers and the loop replace it, never across a wait, so no change is lost. */
export interface RunCell {
  run: Run;
}
