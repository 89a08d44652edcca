import type { WorkflowHandle } from '@temporalio/client';

export type History = Awaited<ReturnType<WorkflowHandle['fetchHistory']>>;

export type HistoryEvent = NonNullable<History['events']>[number];

/** The workers that made a history, as people can tell them apart: the newest last. */
export function buildsOf({ events }: History): string {
  const builds = new Set((events ?? []).map(buildOf).filter((build) => build !== ''));
  if (builds.size === 0) return 'workers of a build that is not known';
  return `workers of the build${builds.size === 1 ? '' : 's'} ${[...builds].join(', ')}`;
}

function buildOf({ workflowTaskCompletedEventAttributes: completed }: HistoryEvent): string {
  return completed?.workerVersion?.buildId ?? completed?.binaryChecksum ?? '';
}

/** Whether any worker has worked on it. */
export function hasBegun({ events }: History): boolean {
  return (events ?? []).some((event) => event.workflowTaskCompletedEventAttributes != null);
}
