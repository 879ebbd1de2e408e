/** The server or a command cannot start for a reason that the operator can fix: the message is shown as it is. */
export class StartError extends Error {}
