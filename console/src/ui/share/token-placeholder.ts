/** A placeholder for the user's own token, because examples never contain a real one. */
export const tokenPlaceholder = 'YOUR_TOKEN'
