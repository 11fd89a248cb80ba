/** A secret that is sent in a header: what is no visible ASCII was copied wrongly. */

/** Whether the text can be one. */
export function isHeaderSecret(text: string): boolean {
  return /^[\x21-\x7e]{1,4096}$/.test(text)
}
