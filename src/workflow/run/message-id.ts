import { hash } from 'node:crypto'

/**
 * The id of a message that a run says: the same when a step is run again after a crash, so that it is said once; as
 * hard to guess as the id of the run.
 */
export const messageId = (runId: string, path: string, name: string | number): string =>
  `msg_${Buffer.from(hash('sha256', `${runId}\n${path}\n${name}`, 'buffer').subarray(0, 16)).toString('base64url')}`
