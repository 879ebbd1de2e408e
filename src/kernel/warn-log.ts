/** The part of a log that code which goes on after a failure needs. */
export interface WarnLog {
  warn(details: object, message: string): void
}
