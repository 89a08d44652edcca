/** The public library: start a run, read and follow it, answer its questions, say something to it, stop it. */
export { startRun, StartRefused } from './client/start.ts';
export { readRun, type Reading } from './client/reading.ts';
export { watchRun, type Watched, type WatchOptions } from './client/watching.ts';
export { answerApproval, cancelRun, pauseRun, resumeRun, sendMessage, type Sent } from './client/people.ts';
export {
  approvalsOf,
  findRun,
  listApprovals,
  listRuns,
  type ListedApproval,
  type ListedRun,
  type Named,
} from './client/listing.ts';
export { checkHealth, isPolled, type Health, type StuckRun, type UnpolledQueue } from './client/health.ts';
