/** A backup or restore that cannot be done; the message is a sentence for the person who asked for it. */
export class BackupError extends Error {}

export const damagedArchive = (what: string): BackupError =>
  new BackupError(`The archive cannot be restored: ${what}. Nothing was changed.`)
