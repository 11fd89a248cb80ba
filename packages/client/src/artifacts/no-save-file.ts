/** What bundlers for browsers and edge runtimes take instead of `save-file.ts`, which they could not resolve. */

export const saveFile = undefined
