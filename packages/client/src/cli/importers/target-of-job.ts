import type { TargetInput } from '../../types/target.js';
import { readTarget } from '../read-target.js';

/** The target of an imported job, from the option `--target`, in which `{name}` stands for the name of the job. */
export function targetOfJob(option: string, job: string): TargetInput {
  const isUrl = /^(webhook:)?https?:/i.test(option);
  // The name of a queue allows fewer kinds of characters than the name of a job.
  const name = isUrl
    ? encodeURIComponent(job)
    : option.startsWith('queue:')
      ? job.replace(/[^A-Za-z0-9_.-]+/g, '-')
      : job;
  return readTarget(option.replaceAll('{name}', name));
}
