/** The command line was used in a way that it does not understand; the message says what would do. */
export class UsageError extends Error {}
