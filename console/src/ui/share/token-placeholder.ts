/** Stands for the reader's own token; a real one is never written into an example. */
export const tokenPlaceholder = 'YOUR_TOKEN'
