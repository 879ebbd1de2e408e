const visible = /[^\s\p{Cc}\p{Default_Ignorable_Code_Point}\u2800]/u

/** Whether a text has no visible characters: only spaces, or characters without width such as U+200B. */
export const isBlank = (text: string): boolean => !visible.test(text)
