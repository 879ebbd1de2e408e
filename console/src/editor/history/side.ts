/** `now` is what is being edited. */
export type Side = number | 'now'
